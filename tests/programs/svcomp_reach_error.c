// SV-COMP's reach_error: two threads can both find the place free and both take it.
#include <pthread.h>

extern void reach_error(void);

volatile int taken, owners;

static void *thread(void *arg) {
  (void)arg;
  if (!taken) {
    taken = 1;
    __sync_fetch_and_add(&owners, 1);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, NULL);
  pthread_create(&b, NULL, thread, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  if (owners == 2)
    reach_error(); // bug
  return 0;
}

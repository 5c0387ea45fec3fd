// Out of bounds: the index is checked, then read again after another thread moved it.
#include <pthread.h>

volatile int position;
int values[3];

static void *user(void *arg) {
  (void)arg;
  if (position < 3)
    values[position] = 1; // bug
  return NULL;
}

static void *mover(void *arg) {
  (void)arg;
  position = 3;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, mover, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// Deadlock: a thread takes a normal mutex that it already holds.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex); // bug
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, thread, NULL);
  pthread_join(a, NULL);
  return 0;
}

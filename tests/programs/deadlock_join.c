// Deadlock: main joins a thread that waits for the mutex main holds.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, thread, NULL);
  pthread_mutex_lock(&mutex);
  pthread_join(a, NULL);
  pthread_mutex_unlock(&mutex);
  return 0;
}

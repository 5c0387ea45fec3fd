// Unlocking a mutex that is not held: the second thread unlocks although its trylock may have failed.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *proper(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *sloppy(void *arg) {
  (void)arg;
  pthread_mutex_trylock(&mutex);
  pthread_mutex_unlock(&mutex); // bug
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, proper, NULL);
  pthread_create(&b, NULL, sloppy, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

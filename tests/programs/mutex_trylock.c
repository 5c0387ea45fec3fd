// Two threads try a mutex once: at least one gets it, and nobody counts without it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *thread(void *arg) {
  (void)arg;
  int result = pthread_mutex_trylock(&mutex);
  if (result == 0) {
    counter++;
    pthread_mutex_unlock(&mutex);
  } else {
    assert(result == EBUSY);
  }
  return (void *)(long)(result == 0);
}

int main(void) {
  pthread_t a, b;
  void *first, *second;
  pthread_create(&a, NULL, thread, NULL);
  pthread_create(&b, NULL, thread, NULL);
  pthread_join(a, &first);
  pthread_join(b, &second);
  assert(counter == (int)((long)first + (long)second));
  assert(counter >= 1);
  return 0;
}

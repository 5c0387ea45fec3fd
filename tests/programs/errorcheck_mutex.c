// An error-checking mutex refuses to be locked twice by one thread instead of deadlocking.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
int counter;

static void *thread(void *arg) {
  (void)arg;
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == EDEADLK);
  counter++;
  assert(pthread_mutex_unlock(&mutex) == 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  pthread_create(&a, NULL, thread, NULL);
  pthread_create(&b, NULL, thread, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  pthread_mutex_destroy(&mutex);
  return 0;
}

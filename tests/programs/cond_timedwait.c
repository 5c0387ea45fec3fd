// A timed wait may always give up: the waiter ends whether or not the signal comes in time.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void *waiter(void *arg) {
  struct timespec deadline = {0, 0};
  int result = 0;
  (void)arg;
  pthread_mutex_lock(&mutex);
  while (!ready && result != ETIMEDOUT)
    result = pthread_cond_timedwait(&changed, &mutex, &deadline);
  assert(ready || result == ETIMEDOUT);
#ifdef IMPATIENT
  assert(ready); // bug: nobody promised that
#endif
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(a, NULL);
  return 0;
}

// A wait on a condition variable may end for no reason. -DLOOP: what is waited for is tested again.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void *waiter(void *arg) {
  pthread_mutex_lock(&mutex);
#ifdef LOOP
  while (!ready)
#else
  if (!ready)
#endif
    pthread_cond_wait(&changed, &mutex);
  assert(ready); // bug
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(a, NULL);
}

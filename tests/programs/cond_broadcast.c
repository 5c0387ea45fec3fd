// One broadcast wakes all waiters; a single signal leaves one of them asleep for ever (-DSIGNAL).
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int open;

static void *waiter(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  while (!open)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waiter, NULL);
  pthread_mutex_lock(&mutex);
  open = 1;
#ifdef SIGNAL
  pthread_cond_signal(&changed);
#else
  pthread_cond_broadcast(&changed);
#endif
  pthread_mutex_unlock(&mutex);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

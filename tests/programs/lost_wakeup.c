// Lost wake-up: the waiter looks at the flag before it takes the mutex, so the signal can come too early.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
volatile int ready;

static void *waiter(void *arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&mutex);
  while (!ready)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
#else
  if (!ready) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex); // bug
    pthread_mutex_unlock(&mutex);
  }
#endif
  return NULL;
}

static void *signaller(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, signaller, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

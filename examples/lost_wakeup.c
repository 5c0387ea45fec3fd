// Lost wake-up: the waiter reads the condition, decides to sleep, and sleeps; the signal comes in between.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

void *waiter(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  int seen = ready;
  pthread_mutex_unlock(&mutex);
  if (!seen) {
    pthread_mutex_lock(&mutex); // 'ready' may have changed meanwhile and is not looked at again
    pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

void *signaller(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t w, s;
  pthread_create(&w, 0, waiter, 0);
  pthread_create(&s, 0, signaller, 0);
  pthread_join(w, 0);
  pthread_join(s, 0);
  return 0;
}

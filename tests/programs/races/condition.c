// A condition variable. WRONG: the condition is changed without the lock.
#include <pthread.h>
#include <stdatomic.h>

static int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *first(void *arg) {
#ifdef WRONG
  ready = 1;
  pthread_mutex_lock(&lock);
#else
  pthread_mutex_lock(&lock);
  ready = 1;
#endif
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
  pthread_mutex_lock(&lock);
  while (!ready)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

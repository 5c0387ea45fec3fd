// A counter under a mutex. WRONG: one thread does not lock.
#include <pthread.h>
#include <stdatomic.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
#ifndef WRONG
  pthread_mutex_lock(&lock);
#endif
  count++;
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

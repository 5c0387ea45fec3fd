// A structure is copied under a lock. WRONG: without it.
#include <pthread.h>
#include <stdatomic.h>

struct pair {
  long left, right;
};

static struct pair shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
  pthread_mutex_lock(&lock);
  shared.right = 1;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
#ifndef WRONG
  pthread_mutex_lock(&lock);
#endif
  struct pair copy = shared;
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  return copy.left + copy.right > 1 ? NULL : arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

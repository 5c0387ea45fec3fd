// A reader-writer lock. WRONG: the writer locks for reading.
#include <pthread.h>
#include <stdatomic.h>

static int value;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *arg) {
#ifdef WRONG
  pthread_rwlock_rdlock(&lock);
#else
  pthread_rwlock_wrlock(&lock);
#endif
  value++;
  pthread_rwlock_unlock(&lock);
  return arg;
}

static void *second(void *arg) {
  pthread_rwlock_rdlock(&lock);
  int seen = value;
  pthread_rwlock_unlock(&lock);
  return seen > 1 ? NULL : arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

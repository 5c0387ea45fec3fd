// The process ends while threads wait for what never comes; what atexit noted runs while they go on.
// -DLAST: the assertion there depends on who is faster.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, never;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *spins(void *arg) {
  atomic_store(&x, 1);
  while (!atomic_load(&never))
    ;
  assert(0);
  return arg;
}

static void *locks(void *arg) {
  pthread_mutex_lock(&mutex);
  assert(0);
  return arg;
}

static void last(void) {
  int seen = atomic_load(&x);
#ifdef LAST
  assert(seen == 1); // bug
#endif
  (void)seen;
}

int main(void) {
  pthread_t a, b;
  atexit(last);
  pthread_mutex_lock(&mutex);
  pthread_create(&a, NULL, spins, NULL);
  pthread_create(&b, NULL, locks, NULL);
  return 0;
}

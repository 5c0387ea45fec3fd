// A release store to memory that only its own thread looks at waits for nobody, and the plain store behind it comes later.
#include <assert.h>
#include <pthread.h>

#ifndef ORDER
#define ORDER __ATOMIC_RELEASE
#endif

static volatile int shared, own[2];

static void *adds(void *unused) {
  shared = shared + 2;
  return unused;
}

static void *sets(void *unused) {
  __atomic_store_n(&own[1], 2, ORDER);
  own[1] = 1;
  assert(own[1] == 1);
  shared = 3;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, adds, 0);
  pthread_create(&threads[1], 0, sets, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}

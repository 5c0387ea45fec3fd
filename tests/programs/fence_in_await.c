// A fence stands behind the load of a loop that waits: it belongs to the waiting, which ends once the second store is
// there. The stores of the waiting thread leave its buffer meanwhile.
#include <assert.h>
#include <pthread.h>

#ifndef ORDER
#define ORDER __ATOMIC_ACQUIRE
#endif

static int state, other;

static void *writer(void *unused) {
  __atomic_store_n(&state, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&state, 2, __ATOMIC_RELAXED);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  int seen;
  __atomic_store_n(&other, 1, __ATOMIC_RELAXED);
  do {
    seen = __atomic_load_n(&state, __ATOMIC_RELAXED);
    __atomic_thread_fence(ORDER);
  } while (seen == 1);
  assert(seen == 0 || seen == 2);
  pthread_join(thread, 0);
  return 0;
}

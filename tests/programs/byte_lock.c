// A lock whose word is taken by compare-and-swap and given back by storing one byte of it, as kernels do: the store must
// not be seen before what was done under the lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

static union {
  atomic_uint word;
  struct {
    _Atomic uint8_t locked, pending;
    _Atomic uint16_t tail;
  };
} lock;
static int counter;

static void *worker(void *arg) {
  unsigned Free = 0;
  while (!atomic_compare_exchange_strong_explicit(&lock.word, &Free, 1, memory_order_acquire, memory_order_relaxed))
    Free = 0;
  counter++;
  atomic_store_explicit(&lock.locked, 0, ORDER);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  return 0;
}

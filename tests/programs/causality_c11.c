// What a thread has seen before it tells others, they see as well. WRC: it reads what another thread wrote. ISA2: what it
// passes on was told by a thread that wrote before. All by relaxed accesses and dependencies, or with orders.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE_ORDER
#define STORE_ORDER memory_order_relaxed
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER memory_order_relaxed
#endif
#ifndef FIRST_ORDER // of the first store that tells others
#define FIRST_ORDER STORE_ORDER
#endif

atomic_int x[2], y, z; // the second of x; the first is for readers that saw nothing

static void *first(void *arg) {
  atomic_store_explicit(&x[1], 1, memory_order_relaxed);
#ifdef ISA2
  atomic_store_explicit(&y, 1, FIRST_ORDER);
#endif
  return arg;
}

static void *passOn(void *arg) {
#ifdef ISA2
  int seen = atomic_load_explicit(&y, LOAD_ORDER);
#else
  int seen = atomic_load_explicit(&x[1], LOAD_ORDER);
#endif
  atomic_store_explicit(&z, seen, STORE_ORDER);
  return arg;
}

static void *last(void *arg) {
  (void)arg;
  int told = atomic_load_explicit(&z, LOAD_ORDER);
  int seen = atomic_load_explicit(&x[told], memory_order_relaxed);
  return (void *)(long)(told && !seen);
}

int main(void) {
  pthread_t a, b, c;
  void *missed;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, passOn, NULL);
  pthread_create(&c, NULL, last, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, &missed);
  assert(!missed);
  return 0;
}

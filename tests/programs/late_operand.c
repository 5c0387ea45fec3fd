// What an atomic update, a division or a sum of doubles is made from may be known after what comes behind it: under
// POWER a load at the very beginning sees what came of it in the end. Each of these ends a circle of copies.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
#define LOAD(v) atomic_load_explicit(&v, memory_order_relaxed)
#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_relaxed)

atomic_int x, y, z;
atomic_int quotient;

static void *update(void *arg) {
  int a = LOAD(x);
#ifdef SWAP
  int e = 0;
  int b = !atomic_compare_exchange_strong_explicit(&y, &e, a, ORDER, memory_order_relaxed);
#elif defined DIVIDE
  STORE(quotient, 6 / (a + 2));
  int b = 0;
#elif defined FLOATING
  STORE(quotient, (int)((double)a * 1.5 + 3.0 / (double)(a + 2)));
  int b = 0;
#else
  int b = atomic_fetch_add_explicit(&y, a, ORDER);
#endif
  STORE(z, b + 1);
  return arg;
}

static void *copy(void *arg) {
  STORE(x, LOAD(z));
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, copy, NULL);
  pthread_create(&a, NULL, update, NULL);
#else
  pthread_create(&a, NULL, update, NULL);
  pthread_create(&b, NULL, copy, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(y != 1);
  assert(quotient == 0 || quotient == 3 || quotient == 1);
  return 0;
}

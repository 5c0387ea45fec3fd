// Store buffering with C11 atomics: only seq_cst forbids that both threads read 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER ORDER
#endif

atomic_int x, y;

static void *left(void *arg) {
  (void)arg;
  atomic_store_explicit(&x, 1, ORDER);
  return (void *)(long)atomic_load_explicit(&y, LOAD_ORDER);
}

static void *right(void *arg) {
  (void)arg;
  atomic_store_explicit(&y, 1, ORDER);
  return (void *)(long)atomic_load_explicit(&x, LOAD_ORDER);
}

int main(void) {
  pthread_t a, b;
  void *seenY, *seenX;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, &seenY);
  pthread_join(b, &seenX);
  assert(seenX || seenY);
  return 0;
}

// Message passing with C11 atomics: a relaxed flag is enough under TSO, PSO needs a release store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER ORDER
#endif

atomic_int data, flag;

static void *sender(void *arg) {
  (void)arg;
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, ORDER);
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  int seenFlag = atomic_load_explicit(&flag, LOAD_ORDER);
  int seenData = atomic_load_explicit(&data, memory_order_relaxed);
  return (void *)(long)(!seenFlag || seenData);
}

int main(void) {
  pthread_t a, b;
  void *fine;
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, receiver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, &fine);
  assert(fine);
  return 0;
}

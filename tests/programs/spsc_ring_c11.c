// The single-producer single-consumer ring with C11 atomics; ORDER is that of the stores to head and tail.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 1
#define ITEMS 3
#ifndef ORDER
#define ORDER memory_order_release
#endif

int ring[SLOTS];
atomic_int head, tail;

static void *producer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    while (i - atomic_load_explicit(&tail, memory_order_acquire) == SLOTS) // full
      ;
    ring[i % SLOTS] = i + 1;
    atomic_store_explicit(&head, i + 1, ORDER);
  }
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    while (atomic_load_explicit(&head, memory_order_acquire) == i) // empty
      ;
    assert(ring[i % SLOTS] == i + 1);
    atomic_store_explicit(&tail, i + 1, ORDER);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

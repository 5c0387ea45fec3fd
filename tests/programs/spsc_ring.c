// Single-producer single-consumer ring of two slots: right under TSO, PSO needs a store-store barrier before head.
#include <assert.h>
#include <pthread.h>

#define SLOTS 2
#ifndef ITEMS
#define ITEMS 3
#endif

int ring[SLOTS];
volatile int head, tail;

static void *producer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    while (i - tail == SLOTS) // full
      ;
    ring[i % SLOTS] = i + 1;
#ifdef FENCED
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
    head = i + 1;
  }
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    while (head == i) // empty
      ;
    assert(ring[i % SLOTS] == i + 1);
    tail = i + 1;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, consumer, NULL);
  pthread_create(&a, NULL, producer, NULL);
#else
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

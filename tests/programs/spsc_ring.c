// Single-producer single-consumer ring of two slots: right under TSO, PSO needs a store-store barrier before head,
// POWER two barriers in the consumer as well.
#include <assert.h>
#include <pthread.h>

#define SLOTS 2
#ifndef ITEMS
#define ITEMS 3
#endif

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL, ORDER) do { if (FENCED >= (LEVEL)) __atomic_thread_fence(ORDER); } while (0)

int ring[SLOTS];
volatile int head, tail;

static void *producer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    while (i - tail == SLOTS) // full
      ;
    ring[i % SLOTS] = i + 1;
    FENCE(1, __ATOMIC_RELEASE);
    head = i + 1;
  }
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    while (head == i) // empty
      ;
    FENCE(3, __ATOMIC_ACQUIRE);
    assert(ring[i % SLOTS] == i + 1);
    FENCE(3, __ATOMIC_RELEASE);
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

// Message passing: a producer writes a message, then sets a flag. Correct under TSO; under PSO, ARM64 and POWER the flag may come first, and C11 calls it a data race.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int message;
atomic_int ready;

void *producer(void *arg) {
  (void)arg;
  message = 42;
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return 0;
}

void *consumer(void *arg) {
  (void)arg;
  if (atomic_load_explicit(&ready, memory_order_relaxed))
    assert(message == 42);
  return 0;
}

int main(void) {
  pthread_t p, c;
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
  return 0;
}

// A spinlock that tests and sets in two steps, so two threads can hold it at the same time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int locked;
int counter;

void lock(void) {
  while (atomic_load(&locked))
    ;
  atomic_store(&locked, 1); // should have been one step: atomic_exchange
}

void unlock(void) { atomic_store(&locked, 0); }

void *worker(void *arg) {
  (void)arg;
  lock();
  counter++;
  unlock();
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  return 0;
}

// Two threads add twice each to a counter with a compare-and-swap loop: no increment is lost.
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

int counter;

static void *thread(void *arg) {
  (void)arg;
  for (int round = 0; round < ROUNDS; round++) {
    int seen;
    do
      seen = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    while (!__sync_bool_compare_and_swap(&counter, seen, seen + 1));
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, NULL);
  pthread_create(&b, NULL, thread, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2 * ROUNDS);
  return 0;
}

// Two threads hand data to each other, each time through other locations: an execution of 10,200 accesses. With WRONG the
// last datum is not what is expected of it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1700
#endif
#ifdef WRONG
#define EXPECTED(round) ((round) + 1 + ((round) == ROUNDS - 1))
#else
#define EXPECTED(round) ((round) + 1)
#endif

int data[ROUNDS];
atomic_int there[ROUNDS], back[ROUNDS];

static void *sender(void *arg) {
  (void)arg;
  for (int round = 0; round < ROUNDS; round++) {
    data[round] = round + 1;
    atomic_store_explicit(&there[round], 1, memory_order_release);
    while (!atomic_load_explicit(&back[round], memory_order_acquire))
      ;
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sender, NULL);
  for (int round = 0; round < ROUNDS; round++) {
    while (!atomic_load_explicit(&there[round], memory_order_acquire))
      ;
    assert(data[round] == EXPECTED(round));
    atomic_store_explicit(&back[round], 1, memory_order_release);
  }
  pthread_join(thread, NULL);
  return 0;
}

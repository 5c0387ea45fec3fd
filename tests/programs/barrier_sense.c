// Sense-reversing barrier: after each round every thread sees what all others wrote before it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

atomic_int waiting = N, sense;
int slot[ROUNDS][N];

static void barrier(int mySense) {
  if (atomic_fetch_sub(&waiting, 1) == 1) {
    atomic_store_explicit(&waiting, N, memory_order_relaxed);
    atomic_store_explicit(&sense, mySense, memory_order_release);
    return;
  }
  while (atomic_load_explicit(&sense, memory_order_acquire) != mySense)
    ;
}

static void *thread(void *arg) {
  long me = (long)arg;
  for (int round = 0; round < ROUNDS; round++) {
    slot[round][me] = 1;
    barrier(!(round & 1));
    for (int i = 0; i < N; i++)
      assert(slot[round][i] == 1);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long me = N - 1 - i;
#else
    long me = i;
#endif
    pthread_create(&threads[i], NULL, thread, (void *)me);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

// N threads try one compare-and-swap from 0: exactly one wins, so N executions under every model.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

atomic_int winner;

static void *attempt(void *arg) {
  int nobody = 0;
  return (void *)(long)atomic_compare_exchange_strong(&winner, &nobody, (int)(long)arg);
}

int main(void) {
  pthread_t threads[N];
  int wins = 0;
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long id = N - i;
#else
    long id = i + 1;
#endif
    pthread_create(&threads[i], NULL, attempt, (void *)id);
  }
  for (int i = 0; i < N; i++) {
    void *won;
    pthread_join(threads[i], &won);
    wins += won != NULL;
  }
  assert(wins == 1);
  return 0;
}

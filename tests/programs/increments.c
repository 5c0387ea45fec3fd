// N threads increment one counter atomically: N! executions under every model.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

atomic_int counter;

static void *increment(void *arg) {
  atomic_fetch_add(&counter, (int)(long)arg);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long amount = N - i;
#else
    long amount = i + 1;
#endif
    pthread_create(&threads[i], NULL, increment, (void *)amount);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  assert(counter == N * (N + 1) / 2);
  return 0;
}

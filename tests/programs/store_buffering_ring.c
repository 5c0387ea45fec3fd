// Store buffering in a ring of N threads: 2^N - 1 executions under SC, 2^N under TSO and PSO.
#include <pthread.h>

#ifndef N
#define N 3
#endif

volatile int flag[N];

static void *thread(void *arg) {
  int me = (int)(long)arg;
  flag[me] = 1;
  return (void *)(long)flag[(me + 1) % N];
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long me = (i + 2) % N;
#else
    long me = i;
#endif
    pthread_create(&threads[i], NULL, thread, (void *)me);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

// N threads store once each to one variable: N! executions under every model.
#include <pthread.h>

#ifndef N
#define N 3
#endif

volatile int x;

static void *writer(void *arg) {
  x = (int)(long)arg;
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long value = N - i;
#else
    long value = i + 1;
#endif
    pthread_create(&threads[i], NULL, writer, (void *)value);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

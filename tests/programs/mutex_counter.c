// N threads increment a plain counter under a mutex: N! executions, one per order of the lock.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *increment(void *arg) {
  pthread_mutex_lock(&mutex);
  counter += (int)(long)arg;
  pthread_mutex_unlock(&mutex);
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

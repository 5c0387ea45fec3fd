// N threads read what one thread writes: each sees the store or not, so 2^N executions under every model.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

volatile int x;

static void *writer(void *arg) {
  (void)arg;
  x = 1;
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  int seen = x;
  assert(seen == 0 || seen == 1);
  return NULL;
}

int main(void) {
  pthread_t one, threads[N];
#ifndef PERMUTE
  pthread_create(&one, NULL, writer, NULL);
#endif
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, reader, NULL);
#ifdef PERMUTE
  pthread_create(&one, NULL, writer, NULL);
#endif
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  pthread_join(one, NULL);
  return 0;
}

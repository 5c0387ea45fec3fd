// One thread looks for the last zero of an array while N others fill it, each from its left neighbour.
#include <pthread.h>

#ifndef N
#define N 5
#endif

volatile int array[N + 1];

static void *search(void *arg) {
  (void)arg;
  int i = N;
  while (array[i] != 0)
    i--;
  return (void *)(long)i;
}

static void *fill(void *arg) {
  int j = (int)(long)arg;
  array[j] = array[j - 1] + 1;
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
#ifdef PERMUTE
  for (int j = N; j >= 1; j--)
    pthread_create(&threads[j], NULL, fill, (void *)(long)j);
  pthread_create(&threads[0], NULL, search, NULL);
#else
  pthread_create(&threads[0], NULL, search, NULL);
  for (int j = 1; j <= N; j++)
    pthread_create(&threads[j], NULL, fill, (void *)(long)j);
#endif
  for (int j = 0; j <= N; j++)
    pthread_join(threads[j], NULL);
  return 0;
}

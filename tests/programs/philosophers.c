// Dining philosophers: everybody takes the left fork first and all starve; ORDERED, the lower fork goes first.
#include <pthread.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t forks[N];

static void *philosopher(void *arg) {
  int first = (int)(long)arg, second = (first + 1) % N;
#ifdef ORDERED
  if (first > second) {
    int swap = first;
    first = second;
    second = swap;
  }
#endif
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++)
    pthread_mutex_init(&forks[i], NULL);
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long seat = N - 1 - i;
#else
    long seat = i;
#endif
    pthread_create(&threads[i], NULL, philosopher, (void *)seat);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

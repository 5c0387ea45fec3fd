// A counter under a binary semaphore: N! executions, one per order of the waits.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 2
#endif

sem_t semaphore;
int counter;

static void *thread(void *arg) {
  (void)arg;
  sem_wait(&semaphore);
  counter++;
  sem_post(&semaphore);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  sem_init(&semaphore, 0, 1);
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
  assert(counter == N);
  return 0;
}

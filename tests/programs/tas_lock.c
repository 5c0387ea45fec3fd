// Test-and-set lock with the old __sync builtins.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

int locked, counter;

static void *thread(void *arg) {
  (void)arg;
  while (__sync_lock_test_and_set(&locked, 1))
    ;
  counter++;
  __sync_lock_release(&locked);
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
  assert(counter == N);
  return 0;
}

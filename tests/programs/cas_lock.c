// Spin lock taken by compare-and-swap in the __atomic builtins' words.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

int owner = -1, counter;

static void *thread(void *arg) {
  int me = (int)(long)arg, nobody;
  do
    nobody = -1;
  while (!__atomic_compare_exchange_n(&owner, &nobody, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
  counter++;
  assert(owner == me);
  __atomic_store_n(&owner, -1, __ATOMIC_RELEASE);
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

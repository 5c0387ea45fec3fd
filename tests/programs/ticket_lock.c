// Ticket lock; ORDER is that of the unlocking store, which PSO wants to be a release.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ORDER
#define ORDER memory_order_release
#endif

atomic_int next, serving;
int counter;

static void *thread(void *arg) {
  (void)arg;
  int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
    ;
  counter++;
  atomic_store_explicit(&serving, mine + 1, ORDER);
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

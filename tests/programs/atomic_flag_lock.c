// Spin lock on atomic_flag, with ORDER for the clear.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ORDER
#define ORDER memory_order_release
#endif

atomic_flag flag = ATOMIC_FLAG_INIT;
int counter;

static void *thread(void *arg) {
  (void)arg;
  while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
    ;
  counter++;
  atomic_flag_clear_explicit(&flag, ORDER);
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

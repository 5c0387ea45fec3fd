// Recursive functions in each thread; only the final additions are seen by others: N! executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

atomic_int total;

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void *thread(void *arg) {
  atomic_fetch_add(&total, fibonacci((int)(long)arg));
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  int expected = 0;
  for (int i = 0; i < N; i++) {
    expected += fibonacci(10 + i);
    pthread_create(&threads[i], NULL, thread, (void *)(long)(10 + i));
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  assert(total == expected);
  return 0;
}

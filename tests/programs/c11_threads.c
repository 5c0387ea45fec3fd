// C11 threads: a counter under a mtx_t with N threads, N! executions.
#include <assert.h>
#include <threads.h>

#ifndef N
#define N 2
#endif

mtx_t mutex;
int counter;

static int thread(void *arg) {
  mtx_lock(&mutex);
  counter++;
  mtx_unlock(&mutex);
  return (int)(long)arg;
}

int main(void) {
  thrd_t threads[N];
  mtx_init(&mutex, mtx_plain);
  for (int i = 0; i < N; i++)
    assert(thrd_create(&threads[i], thread, (void *)(long)i) == thrd_success);
  for (int i = 0; i < N; i++) {
    int result;
    thrd_join(threads[i], &result);
    assert(result == i);
  }
  assert(counter == N);
  mtx_destroy(&mutex);
  return 0;
}

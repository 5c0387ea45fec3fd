// A counter under a pthread spin lock: N! executions, one per order of the lock.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

pthread_spinlock_t lock;
int counter;

static void *thread(void *arg) {
  (void)arg;
  pthread_spin_lock(&lock);
  counter++;
  pthread_spin_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
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

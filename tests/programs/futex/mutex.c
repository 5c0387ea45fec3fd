// A mutex of three states: free, held, held with waiters ("Futexes Are Tricky").
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

static atomic_int state;
static int counter;

static void futex_wait(atomic_int *word, int expected) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0); }
static void futex_wake(atomic_int *word, int count) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0); }

static void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&state, &seen, 1))
    return;
  if (seen != 2)
    seen = atomic_exchange(&state, 2);
  while (seen != 0) {
    futex_wait(&state, 2);
    seen = atomic_exchange(&state, 2);
  }
}

static void unlock(void) {
#ifdef NEVER_WAKES
  atomic_exchange(&state, 0);
#else
  if (atomic_exchange(&state, 0) == 2)
    futex_wake(&state, 1);
#endif
}

static void *thread(void *unused) {
  lock();
  ++counter;
  unlock();
  return unused;
}

int main(void) {
  pthread_t threads[N];
  for (int k = 0; k < N; ++k)
    pthread_create(&threads[k], NULL, thread, NULL);
  for (int k = 0; k < N; ++k)
    pthread_join(threads[k], NULL);
  assert(counter == N);
}

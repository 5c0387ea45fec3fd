// A condition variable that counts signals, on a pthread mutex.
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WAITERS
#define WAITERS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int sequence;
static int ready;

static void wait(void) {
#ifdef READS_TOO_LATE
  pthread_mutex_unlock(&mutex);
  int seen = atomic_load(&sequence);
#else
  int seen = atomic_load(&sequence);
  pthread_mutex_unlock(&mutex);
#endif
  syscall(SYS_futex, &sequence, FUTEX_WAIT, seen, NULL, NULL, 0);
  pthread_mutex_lock(&mutex);
}

static void wake(int count) {
  atomic_fetch_add(&sequence, 1);
  syscall(SYS_futex, &sequence, FUTEX_WAKE, count, NULL, NULL, 0);
}

static void *waiter(void *unused) {
  pthread_mutex_lock(&mutex);
#ifdef ONLY_ONCE
  if (!ready)
    wait();
#else
  while (!ready)
    wait();
#endif
  assert(ready);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[WAITERS];
  for (int k = 0; k < WAITERS; ++k)
    pthread_create(&threads[k], NULL, waiter, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
#ifdef WAKES_ONE
  wake(1);
#else
  wake(INT_MAX);
#endif
  pthread_mutex_unlock(&mutex);
  for (int k = 0; k < WAITERS; ++k)
    pthread_join(threads[k], NULL);
}

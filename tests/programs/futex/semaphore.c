// A semaphore: the value, and how many wait. A post makes the system call only if somebody waits.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

static atomic_int value, waiters;
static int data;

static int try(void) {
  int seen = atomic_load_explicit(&value, ORDER);
  while (seen > 0)
    if (atomic_compare_exchange_strong(&value, &seen, seen - 1))
      return 1;
  return 0;
}

static void take(void) {
  if (try())
    return;
  atomic_fetch_add_explicit(&waiters, 1, ORDER);
  while (!try())
    syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  atomic_fetch_sub_explicit(&waiters, 1, ORDER);
}

static void post(void) {
#ifdef RELAXED // a store that the load of waiters may overtake
  atomic_store_explicit(&value, 1, memory_order_release);
#else
  atomic_fetch_add(&value, 1);
#endif
  if (atomic_load_explicit(&waiters, ORDER) > 0)
    syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *producer(void *unused) {
  data = 1;
  post();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  take();
  assert(data == 1);
  pthread_join(thread, NULL);
}

// A lock for readers and writers in one word. The bug: writers leave with a relaxed store.
#include <stdatomic.h>

#define RW_WRITER 0x100
struct rwlock {
  atomic_int state;
};

static void rwlock_read_lock(struct rwlock *l) {
  for (;;) {
    if (atomic_fetch_add_explicit(&l->state, 1, memory_order_acquire) < RW_WRITER)
      return;
    atomic_fetch_sub_explicit(&l->state, 1, memory_order_relaxed);
    while (atomic_load_explicit(&l->state, memory_order_relaxed) >= RW_WRITER)
      ;
  }
}

static void rwlock_read_unlock(struct rwlock *l) { atomic_fetch_sub_explicit(&l->state, 1, memory_order_release); }

static void rwlock_write_lock(struct rwlock *l) {
  int free = 0;
  while (
      !atomic_compare_exchange_strong_explicit(&l->state, &free, RW_WRITER, memory_order_acquire, memory_order_relaxed))
    free = 0;
}

static void rwlock_write_unlock(struct rwlock *l) {
  atomic_fetch_sub_explicit(&l->state, RW_WRITER, memory_order_relaxed);
}

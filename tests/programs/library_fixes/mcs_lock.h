// An MCS lock. The bug: the lock is handed to the next thread with a relaxed store.
#include <stdatomic.h>
#include <stddef.h>

struct mcs_node {
  struct mcs_node *_Atomic next;
  atomic_int locked;
};
struct mcs_lock {
  struct mcs_node *_Atomic tail;
};

static void mcs_acquire(struct mcs_lock *l, struct mcs_node *me) {
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
  struct mcs_node *before = atomic_exchange_explicit(&l->tail, me, memory_order_acq_rel);
  if (!before)
    return;
  atomic_store_explicit(&before->next, me, memory_order_release);
  while (atomic_load_explicit(&me->locked, memory_order_acquire))
    ;
}

static void mcs_release(struct mcs_lock *l, struct mcs_node *me) {
  struct mcs_node *next = atomic_load_explicit(&me->next, memory_order_acquire);
  if (!next) {
    struct mcs_node *expected = me;
    if (atomic_compare_exchange_strong_explicit(&l->tail, &expected, NULL, memory_order_release, memory_order_relaxed))
      return;
    while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
      ;
  }
  atomic_store_explicit(&next->locked, 0, memory_order_relaxed);
}

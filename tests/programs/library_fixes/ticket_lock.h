// A ticket lock. The bug: the next ticket is called with a relaxed store.
#include <stdatomic.h>

typedef struct {
  atomic_uint next, owner;
} ticket_lock_t;

static void ticket_lock(ticket_lock_t *l) {
  unsigned mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&l->owner, memory_order_acquire) != mine)
    ;
}

static void ticket_unlock(ticket_lock_t *l) {
  unsigned mine = atomic_load_explicit(&l->owner, memory_order_relaxed);
  atomic_store_explicit(&l->owner, mine + 1, memory_order_relaxed);
}

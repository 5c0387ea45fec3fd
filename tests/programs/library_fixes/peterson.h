// Peterson's lock for two threads. The bug: no full fence after a thread says that it wants to enter.
#include <stdatomic.h>

struct peterson {
  atomic_int wants[2], turn;
};

static void peterson_lock(struct peterson *l, int me) {
  atomic_store_explicit(&l->wants[me], 1, memory_order_relaxed);
  atomic_store_explicit(&l->turn, 1 - me, memory_order_release);
  while (atomic_load_explicit(&l->wants[1 - me], memory_order_acquire) &&
         atomic_load_explicit(&l->turn, memory_order_acquire) == 1 - me)
    ;
}

static void peterson_unlock(struct peterson *l, int me) {
  atomic_store_explicit(&l->wants[me], 0, memory_order_release);
}

// A lock of one word. The bug: the exchange that takes it is relaxed.
#include <stdatomic.h>

typedef struct {
  atomic_int held;
} spinlock_t;

static inline void spinlock_acquire(spinlock_t *l) {
  while (atomic_exchange_explicit(&l->held, 1, memory_order_relaxed))
    ;
}

static inline void spinlock_release(spinlock_t *l) { atomic_store_explicit(&l->held, 0, memory_order_release); }

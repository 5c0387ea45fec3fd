// An allocator of slots by bits. The bug: a slot is given back with relaxed order.
#include "vendor/rte.h"

struct bitmap {
  RTE_ATOMIC(unsigned) used;
};

static int bitmap_take(struct bitmap *b) {
  unsigned used = rte_atomic_load_explicit(&b->used, rte_memory_order_relaxed);
  if (used & 1)
    return -1;
  if (!atomic_compare_exchange_strong_explicit(&b->used, &used, used | 1, rte_memory_order_acquire,
                                               rte_memory_order_relaxed))
    return -1;
  return 0;
}

static void bitmap_give(struct bitmap *b) { rte_atomic_fetch_add_explicit(&b->used, -1u, rte_memory_order_relaxed); }

// A ring in the style of a packet-processing toolkit. The bug: the tail is updated with relaxed order.
#include "vendor/rte.h"
#include <stdint.h>

#define RTE_RING_SIZE 2
struct rte_ring_headtail {
  RTE_ATOMIC(uint32_t) tail;
};
struct rte_ring {
  struct rte_ring_headtail prod, cons;
  int objects[RTE_RING_SIZE];
};

static inline void __rte_ring_update_tail(struct rte_ring_headtail *ht, uint32_t new_val) {
  rte_atomic_store_explicit(&ht->tail, new_val, rte_memory_order_relaxed);
}

static int rte_ring_enqueue(struct rte_ring *r, int object) {
  uint32_t tail = rte_atomic_load_explicit(&r->prod.tail, rte_memory_order_relaxed);
  if (tail - rte_atomic_load_explicit(&r->cons.tail, rte_memory_order_acquire) == RTE_RING_SIZE)
    return 0;
  r->objects[tail % RTE_RING_SIZE] = object;
  __rte_ring_update_tail(&r->prod, tail + 1);
  return 1;
}

static int rte_ring_dequeue(struct rte_ring *r, int *object) {
  uint32_t tail = rte_atomic_load_explicit(&r->cons.tail, rte_memory_order_relaxed);
  if (rte_atomic_load_explicit(&r->prod.tail, rte_memory_order_acquire) == tail)
    return 0;
  *object = r->objects[tail % RTE_RING_SIZE];
  __rte_ring_update_tail(&r->cons, tail + 1);
  return 1;
}

// A ring buffer for one producer and one consumer. The bug: the tail is published with a relaxed store.
#include <stdatomic.h>
#include <stdbool.h>

#define RING_SLOTS 2
struct spsc_ring {
  int slots[RING_SLOTS];
  atomic_uint head, tail;
};

static bool spsc_ring_push(struct spsc_ring *r, int value) {
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == RING_SLOTS)
    return false;
  r->slots[tail % RING_SLOTS] = value;
  atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed);
  return true;
}

static bool spsc_ring_pop(struct spsc_ring *r, int *value) {
  unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (atomic_load_explicit(&r->tail, memory_order_acquire) == head)
    return false;
  *value = r->slots[head % RING_SLOTS];
  atomic_store_explicit(&r->head, head + 1, memory_order_release);
  return true;
}

// A ring on relaxed primitives. The bug: no pr_fence_store() between the slot and the tail.
#include "vendor/pr.h"
#include <stdbool.h>

#define PR_RING_SLOTS 2
struct pr_ring {
  int slots[PR_RING_SLOTS];
  unsigned c_head, p_tail;
};

static bool pr_ring_enqueue_spsc(struct pr_ring *ring, int entry) {
  unsigned consumer = pr_load_uint(&ring->c_head);
  unsigned producer = ring->p_tail;
  pr_fence_load();
  if (producer - consumer == PR_RING_SLOTS)
    return false;
  ring->slots[producer % PR_RING_SLOTS] = entry;
  pr_store_uint(&ring->p_tail, producer + 1);
  return true;
}

static bool pr_ring_dequeue_spsc(struct pr_ring *ring, int *entry) {
  unsigned consumer = ring->c_head;
  unsigned producer = pr_load_uint(&ring->p_tail);
  if (consumer == producer)
    return false;
  pr_fence_load();
  *entry = ring->slots[consumer % PR_RING_SLOTS];
  pr_fence_store();
  pr_store_uint(&ring->c_head, consumer + 1);
  return true;
}

// A bounded queue whose cells have sequence numbers. The bug: a filled cell is announced with a relaxed store.
#include <stdatomic.h>
#include <stdbool.h>

#define MPMC_CELLS 2
struct mpmc_cell {
  atomic_uint sequence;
  int data;
};
struct mpmc_queue {
  struct mpmc_cell cells[MPMC_CELLS];
  atomic_uint enqueue_pos, dequeue_pos;
};

static void mpmc_init(struct mpmc_queue *q) {
  for (unsigned i = 0; i < MPMC_CELLS; i++)
    atomic_store_explicit(&q->cells[i].sequence, i, memory_order_relaxed);
}

static bool mpmc_enqueue(struct mpmc_queue *q, int data) {
  unsigned pos = atomic_load_explicit(&q->enqueue_pos, memory_order_relaxed);
  struct mpmc_cell *cell = &q->cells[pos % MPMC_CELLS];
  if (atomic_load_explicit(&cell->sequence, memory_order_acquire) != pos)
    return false;
  if (!atomic_compare_exchange_strong_explicit(&q->enqueue_pos, &pos, pos + 1, memory_order_relaxed,
                                               memory_order_relaxed))
    return false;
  cell->data = data;
  atomic_store_explicit(&cell->sequence, pos + 1, memory_order_relaxed);
  return true;
}

static bool mpmc_dequeue(struct mpmc_queue *q, int *data) {
  unsigned pos = atomic_load_explicit(&q->dequeue_pos, memory_order_relaxed);
  struct mpmc_cell *cell = &q->cells[pos % MPMC_CELLS];
  if (atomic_load_explicit(&cell->sequence, memory_order_acquire) != pos + 1)
    return false;
  if (!atomic_compare_exchange_strong_explicit(&q->dequeue_pos, &pos, pos + 1, memory_order_relaxed,
                                               memory_order_relaxed))
    return false;
  *data = cell->data;
  atomic_store_explicit(&cell->sequence, pos + MPMC_CELLS, memory_order_release);
  return true;
}

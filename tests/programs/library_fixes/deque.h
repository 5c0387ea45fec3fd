// The owner's and the thieves' end of a work-stealing deque. The bug: the owner's take has no full fence between the store
// to bottom and the load of top.
#include <stdatomic.h>

#define DEQUE_EMPTY (-1)
struct deque {
  atomic_int top, bottom;
  atomic_int items[4];
};

static void deque_push(struct deque *d, int item) {
  int bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed);
  atomic_store_explicit(&d->items[bottom], item, memory_order_relaxed);
  atomic_store_explicit(&d->bottom, bottom + 1, memory_order_release);
}

static int deque_take(struct deque *d) {
  int bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&d->bottom, bottom, memory_order_relaxed);
  int top = atomic_load_explicit(&d->top, memory_order_relaxed);
  if (top > bottom) {
    atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
    return DEQUE_EMPTY;
  }
  int item = atomic_load_explicit(&d->items[bottom], memory_order_relaxed);
  if (top < bottom)
    return item;
  if (!atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst, memory_order_relaxed))
    item = DEQUE_EMPTY;
  atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
  return item;
}

static int deque_steal(struct deque *d) {
  int top = atomic_load_explicit(&d->top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  int bottom = atomic_load_explicit(&d->bottom, memory_order_acquire);
  if (top >= bottom)
    return DEQUE_EMPTY;
  int item = atomic_load_explicit(&d->items[top], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst, memory_order_relaxed))
    return DEQUE_EMPTY;
  return item;
}

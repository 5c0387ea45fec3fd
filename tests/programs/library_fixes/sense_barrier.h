// A barrier that reverses its sense. The bug: the last thread lets the others go with a relaxed store.
#include <stdatomic.h>

struct sense_barrier {
  atomic_int waiting, sense;
  int threads;
};

static void sense_barrier_wait(struct sense_barrier *b, int *sense) {
  *sense = !*sense;
  if (atomic_fetch_add_explicit(&b->waiting, 1, memory_order_acq_rel) == b->threads - 1) {
    atomic_store_explicit(&b->waiting, 0, memory_order_relaxed);
    atomic_store_explicit(&b->sense, *sense, memory_order_relaxed);
    return;
  }
  while (atomic_load_explicit(&b->sense, memory_order_acquire) != *sense)
    ;
}

// A sequence lock. The bug: the reader loads the sequence again without an acquire fence in front.
#include <stdatomic.h>

struct seqcount {
  atomic_uint sequence;
  atomic_int a, b;
};

static void seqcount_write(struct seqcount *s, int a, int b) {
  unsigned sequence = atomic_load_explicit(&s->sequence, memory_order_relaxed);
  atomic_store_explicit(&s->sequence, sequence + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&s->a, a, memory_order_relaxed);
  atomic_store_explicit(&s->b, b, memory_order_relaxed);
  atomic_store_explicit(&s->sequence, sequence + 2, memory_order_release);
}

static int seqcount_try_read(struct seqcount *s, int *a, int *b) {
  unsigned before = atomic_load_explicit(&s->sequence, memory_order_acquire);
  if (before & 1)
    return 0;
  *a = atomic_load_explicit(&s->a, memory_order_relaxed);
  *b = atomic_load_explicit(&s->b, memory_order_relaxed);
  return atomic_load_explicit(&s->sequence, memory_order_relaxed) == before;
}

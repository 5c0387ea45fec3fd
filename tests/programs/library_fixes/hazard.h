// A hazard pointer. The bug: nothing orders announcing it and looking whether it is still the current one.
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct hazard_domain {
  int *_Atomic current;
  int *_Atomic hazard;
};

static int *hazard_acquire(struct hazard_domain *d) {
  int *p = atomic_load_explicit(&d->current, memory_order_acquire);
  atomic_store_explicit(&d->hazard, p, memory_order_relaxed);
  if (atomic_load_explicit(&d->current, memory_order_relaxed) != p)
    return NULL;
  return p;
}

static void hazard_release(struct hazard_domain *d) { atomic_store_explicit(&d->hazard, NULL, memory_order_release); }

static void hazard_retire(struct hazard_domain *d, int *replacement) {
  int *old = atomic_exchange_explicit(&d->current, replacement, memory_order_seq_cst);
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(&d->hazard, memory_order_acquire) != old)
    free(old);
}

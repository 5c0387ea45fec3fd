// A reference count. The bug: the last reference is dropped without ordering what the others did before.
#include <stdatomic.h>

struct kref {
  atomic_int refcount;
};

static inline void kref_init(struct kref *ref) { atomic_init(&ref->refcount, 1); }
static inline void kref_get(struct kref *ref) { atomic_fetch_add_explicit(&ref->refcount, 1, memory_order_relaxed); }

static inline int kref_put(struct kref *ref, void (*release)(struct kref *)) {
  if (atomic_fetch_sub_explicit(&ref->refcount, 1, memory_order_relaxed) != 1)
    return 0;
  release(ref);
  return 1;
}

// Initialisation that is done once. The bug: it is announced with a relaxed store.
#include <stdatomic.h>

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };
typedef struct {
  atomic_int state;
} once_t;

static void once_call(once_t *once, void (*init)(void)) {
  if (atomic_load_explicit(&once->state, memory_order_acquire) == ONCE_DONE)
    return;
  int expected = ONCE_NEW;
  if (atomic_compare_exchange_strong_explicit(&once->state, &expected, ONCE_RUNNING, memory_order_acquire,
                                              memory_order_acquire)) {
    init();
    atomic_store_explicit(&once->state, ONCE_DONE, memory_order_relaxed);
    return;
  }
  while (atomic_load_explicit(&once->state, memory_order_acquire) != ONCE_DONE)
    ;
}

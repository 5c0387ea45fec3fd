// Treiber's stack. The bug: the new top is installed with a relaxed compare-and-swap.
#include <stdatomic.h>
#include <stddef.h>

struct treiber_node {
  struct treiber_node *next;
  int value;
};
struct treiber {
  struct treiber_node *_Atomic top;
};

static void treiber_push(struct treiber *s, struct treiber_node *node) {
  struct treiber_node *old = atomic_load_explicit(&s->top, memory_order_relaxed);
  do
    node->next = old;
  while (!atomic_compare_exchange_strong_explicit(&s->top, &old, node, memory_order_relaxed, memory_order_relaxed));
}

static struct treiber_node *treiber_pop(struct treiber *s) {
  struct treiber_node *old = atomic_load_explicit(&s->top, memory_order_acquire);
  while (old &&
         !atomic_compare_exchange_strong_explicit(&s->top, &old, old->next, memory_order_acquire, memory_order_acquire))
    ;
  return old;
}

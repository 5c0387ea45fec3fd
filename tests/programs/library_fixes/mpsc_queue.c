// A queue of many producers and one consumer, as a file that is included. The bug: the link is stored relaxed.
#include <stdatomic.h>
#include <stddef.h>

struct mpsc_node {
  struct mpsc_node *_Atomic next;
  int value;
};
struct mpsc_queue {
  struct mpsc_node *_Atomic head;
  struct mpsc_node *tail;
  struct mpsc_node stub;
};

void mpsc_init(struct mpsc_queue *q) {
  atomic_store_explicit(&q->stub.next, NULL, memory_order_relaxed);
  atomic_store_explicit(&q->head, &q->stub, memory_order_relaxed);
  q->tail = &q->stub;
}

void mpsc_push(struct mpsc_queue *q, struct mpsc_node *node) {
  atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
  struct mpsc_node *before = atomic_exchange_explicit(&q->head, node, memory_order_acq_rel);
  atomic_store_explicit(&before->next, node, memory_order_relaxed);
}

struct mpsc_node *mpsc_pop(struct mpsc_queue *q) {
  struct mpsc_node *next = atomic_load_explicit(&q->tail->next, memory_order_acquire);
  if (next)
    q->tail = next;
  return next;
}

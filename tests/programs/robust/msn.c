// Michael and Scott's non-blocking queue (1996). All stores to shared nodes are compare-and-swaps, which TSO does not
// delay; relaxed ones let PSO delay the stores that fill a node past the one that publishes it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_release)
#else
#define FENCE()
#endif

struct node {
  int value;
  struct node *_Atomic next;
};

struct node nodes[3]; // the last one is the dummy
struct node *_Atomic head = &nodes[2], *_Atomic tail = &nodes[2];

static struct node *get(struct node *_Atomic *from) { return atomic_load_explicit(from, memory_order_relaxed); }
static _Bool cas(struct node *_Atomic *at, struct node *old, struct node *new) {
  return atomic_compare_exchange_strong_explicit(at, &old, new, memory_order_relaxed, memory_order_relaxed);
}

static void enqueue(struct node *node, int value) {
  struct node *last, *next;
  node->value = value;
  atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
  FENCE();
  for (;;) {
    last = get(&tail);
    next = get(&last->next);
    if (last != get(&tail))
      continue;
    if (next != NULL)
      cas(&tail, last, next); // help
    else if (cas(&last->next, NULL, node))
      break;
  }
  cas(&tail, last, node);
}

static int dequeue(void) {
  for (;;) {
    struct node *first = get(&head);
    struct node *last = get(&tail);
    struct node *next = get(&first->next);
    if (first != get(&head))
      continue;
    if (first == last) {
      if (next == NULL)
        return 0;
      cas(&tail, last, next); // help
      continue;
    }
    int value = next->value;
    if (cas(&head, first, next))
      return value;
  }
}

static void *thread(void *arg) {
  long me = (long)arg;
  enqueue(&nodes[me], (int)me + 1);
  return (void *)(long)dequeue();
}

int main(void) {
  pthread_t a, b;
  void *first, *second;
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_join(a, &first);
  pthread_join(b, &second);
  assert(((long)first == 1 && (long)second == 2) || ((long)first == 2 && (long)second == 1));
  assert(dequeue() == 0);
  return 0;
}

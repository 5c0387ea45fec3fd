// Harris' non-blocking list as a set (2001): a node is deleted by marking its link, then cut out by whoever comes by.
// Links of shared nodes change by compare-and-swap only, which TSO does not delay; relaxed ones let PSO delay the
// stores that fill a node past the one that links it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_release)
#else
#define FENCE()
#endif

struct node {
  int key;
  atomic_uintptr_t next; // the lowest bit marks a node as deleted
};

struct node head = {.key = 0}, tail = {.key = 9}, nodes[2];

static uintptr_t next(struct node *node) { return atomic_load_explicit(&node->next, memory_order_relaxed); }
static _Bool marked(uintptr_t link) { return link & 1; }
static struct node *target(uintptr_t link) { return (struct node *)(link & ~(uintptr_t)1); }
static _Bool cas(struct node *node, uintptr_t old, uintptr_t new) {
  return atomic_compare_exchange_strong_explicit(&node->next, &old, new, memory_order_relaxed, memory_order_relaxed);
}

/// The first node that is not marked with this key or a larger one; *left is the unmarked node in front of it.
static struct node *search(int key, struct node **left) {
  for (;;) {
    struct node *node = &head, *right;
    uintptr_t link = next(node), leftLink = 0;
    do {
      if (!marked(link)) {
        *left = node;
        leftLink = link;
      }
      node = target(link);
      if (node == &tail)
        break;
      link = next(node);
    } while (marked(link) || node->key < key);
    right = node;
    if (target(leftLink) != right && !cas(*left, leftLink, (uintptr_t)right))
      continue;
    if (right == &tail || !marked(next(right)))
      return right;
  }
}

static _Bool insert(struct node *node, int key) {
  node->key = key;
  for (;;) {
    struct node *left, *right = search(key, &left);
    if (right != &tail && right->key == key)
      return 0;
    atomic_store_explicit(&node->next, (uintptr_t)right, memory_order_relaxed);
    FENCE();
    if (cas(left, (uintptr_t)right, (uintptr_t)node))
      return 1;
  }
}

static _Bool delete(int key) {
  for (;;) {
    struct node *left, *right = search(key, &left);
    if (right == &tail || right->key != key)
      return 0;
    uintptr_t link = next(right);
    if (marked(link) || !cas(right, link, link | 1))
      continue;
    if (!cas(left, (uintptr_t)right, link))
      search(key, &left); // cuts it out
    return 1;
  }
}

static _Bool find(int key) {
  struct node *left, *right = search(key, &left);
  return right != &tail && right->key == key;
}

static void *inserter(void *arg) {
  (void)arg;
  return (void *)(long)insert(&nodes[1], 2);
}

static void *deleter(void *arg) { return (void *)(long)delete((int)(long)arg); }

int main(void) {
  pthread_t a, b, c;
  void *inserted, *first, *second;
  atomic_init(&head.next, (uintptr_t)&tail);
  insert(&nodes[0], 1);
  pthread_create(&a, NULL, inserter, NULL);
  pthread_create(&b, NULL, deleter, (void *)1);
  pthread_create(&c, NULL, deleter, (void *)2);
  pthread_join(a, &inserted);
  pthread_join(b, &first);
  pthread_join(c, &second);
  assert(inserted && first && !find(1));
  assert(find(2) == !second);
  return 0;
}

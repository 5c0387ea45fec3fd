// The lazy list-based set of Heller et al. (2005), with a test-and-set lock per node: a change locks the node in front
// of it and the one behind, a look-up locks nothing. TSO delays no store past a lock taken; PSO delays filling a node
// past linking it, and what is stored under a lock past the store that frees it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

struct node {
  int key;
  struct node *_Atomic next;
  atomic_int marked, locked;
};

struct node tail = {.key = 9}, nodes[2] = {{.key = 1, .next = &tail}}, head = {.key = 0, .next = &nodes[0]};

static struct node *next(struct node *node) { return atomic_load_explicit(&node->next, memory_order_relaxed); }
static int marked(struct node *node) { return atomic_load_explicit(&node->marked, memory_order_relaxed); }

static void lock(struct node *node) {
  while (atomic_exchange_explicit(&node->locked, 1, memory_order_relaxed))
    ;
}
static void unlock(struct node *node) { atomic_store_explicit(&node->locked, 0, PUBLISH); }

/// Locks the first node with this key or a larger one, and *before in front of it.
static struct node *find(int key, struct node **before) {
  for (;;) {
    struct node *pred = &head, *curr = next(pred);
    while (curr->key < key) {
      pred = curr;
      curr = next(pred);
    }
    lock(pred);
    lock(curr);
    *before = pred;
    if (!marked(pred) && !marked(curr) && next(pred) == curr)
      return curr;
    unlock(curr);
    unlock(pred);
  }
}

static _Bool add(struct node *node, int key) {
  struct node *pred, *curr = find(key, &pred);
  _Bool isNew = curr->key != key;
  if (isNew) {
    node->key = key;
    atomic_store_explicit(&node->next, curr, memory_order_relaxed);
    atomic_store_explicit(&pred->next, node, PUBLISH);
  }
  unlock(curr);
  unlock(pred);
  return isNew;
}

static _Bool delete(int key) {
  struct node *pred, *curr = find(key, &pred);
  _Bool found = curr->key == key;
  if (found) {
    atomic_store_explicit(&curr->marked, 1, memory_order_relaxed);
    atomic_store_explicit(&pred->next, next(curr), memory_order_relaxed);
  }
  unlock(curr);
  unlock(pred);
  return found;
}

static _Bool contains(int key) {
  struct node *node = &head;
  while (node->key < key)
    node = next(node);
  return node->key == key && !marked(node);
}

static void *adder(void *arg) { return (void *)(long)add(&nodes[1], (int)(long)arg); }
static void *deleter(void *arg) { return (void *)(long)delete((int)(long)arg); }
static void *reader(void *arg) { return (void *)(long)contains((int)(long)arg); }

int main(void) {
  pthread_t a, b, c;
  void *added, *deleted;
  pthread_create(&a, NULL, adder, (void *)2);
  pthread_create(&b, NULL, deleter, (void *)1);
  pthread_create(&c, NULL, reader, (void *)2);
  pthread_join(a, &added);
  pthread_join(b, &deleted);
  pthread_join(c, NULL);
  assert(added && deleted);
  assert(!contains(1) && contains(2));
  return 0;
}

// The Snark deque of Detlefs et al. (2000), made of double compare-and-swaps. Nothing else changes shared nodes, so
// that TSO delays nothing; PSO delays the stores that fill a node past the one that links it. A pop that finds the
// deque empty looks at the hat again: without that it can be wrong, under SC too (Doherty et al., 2004).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_release)
#else
#define FENCE()
#endif

struct node;
typedef struct node *_Atomic Link;

struct node {
  Link left, right;
  int value;
};

struct node dummy = {.left = &dummy, .right = &dummy}, nodes[2], busy;
Link leftHat = &dummy, rightHat = &dummy;

// There is no instruction for it: both words are made busy one after the other, and who meets a busy word waits. As in
// an instruction, only the two words themselves are sure to have reached memory afterwards.
static struct node *get(Link *from) {
  struct node *node;
  do
    node = atomic_load_explicit(from, memory_order_relaxed);
  while (node == &busy);
  return node;
}

static _Bool acquire(Link *word, struct node *old) {
  for (;;) {
    struct node *found = old;
    if (atomic_compare_exchange_strong_explicit(word, &found, &busy, memory_order_relaxed, memory_order_relaxed))
      return 1;
    if (found != &busy)
      return 0;
  }
}

static void release(Link *word, struct node *value) { atomic_exchange_explicit(word, value, memory_order_relaxed); }

/// The right hat comes first, then the left one, then links, of which there is one at most: nobody waits in a circle.
static _Bool dcas(Link *one, Link *two, struct node *oldOne, struct node *oldTwo, struct node *newOne,
                  struct node *newTwo) {
  if (!acquire(one, oldOne))
    return 0;
  _Bool both = acquire(two, oldTwo);
  if (both)
    release(two, newTwo);
  release(one, both ? newOne : oldOne);
  return both;
}

static void pushRight(struct node *node, int value) {
  atomic_store_explicit(&node->right, &dummy, memory_order_relaxed);
  node->value = value;
  for (;;) {
    struct node *right = get(&rightHat), *beyond = get(&right->right);
    if (beyond == right) { // empty
      struct node *left = get(&leftHat);
      atomic_store_explicit(&node->left, &dummy, memory_order_relaxed);
      FENCE();
      if (dcas(&rightHat, &leftHat, right, left, node, node))
        return;
    } else {
      atomic_store_explicit(&node->left, right, memory_order_relaxed);
      FENCE();
      if (dcas(&rightHat, &right->right, right, beyond, node, node))
        return;
    }
  }
}

static void pushLeft(struct node *node, int value) {
  atomic_store_explicit(&node->left, &dummy, memory_order_relaxed);
  node->value = value;
  for (;;) {
    struct node *left = get(&leftHat), *beyond = get(&left->left);
    if (beyond == left) { // empty
      struct node *right = get(&rightHat);
      atomic_store_explicit(&node->right, &dummy, memory_order_relaxed);
      FENCE();
      if (dcas(&rightHat, &leftHat, right, left, node, node))
        return;
    } else {
      atomic_store_explicit(&node->right, left, memory_order_relaxed);
      FENCE();
      if (dcas(&leftHat, &left->left, left, beyond, node, node))
        return;
    }
  }
}

static int popRight(void) {
  for (;;) {
    struct node *right = get(&rightHat), *left = get(&leftHat);
    if (get(&right->right) == right) { // empty, or popped by the other side while we looked
      if (get(&rightHat) == right)
        return 0;
    } else if (right == left) {
      if (dcas(&rightHat, &leftHat, right, left, &dummy, &dummy))
        return right->value;
    } else {
      struct node *inner = get(&right->left);
      if (dcas(&rightHat, &right->left, right, inner, inner, right))
        return right->value;
    }
  }
}

static int popLeft(void) {
  for (;;) {
    struct node *left = get(&leftHat), *right = get(&rightHat);
    if (get(&left->left) == left) { // empty, or popped by the other side while we looked
      if (get(&leftHat) == left)
        return 0;
    } else if (left == right) {
      if (dcas(&rightHat, &leftHat, right, left, &dummy, &dummy))
        return left->value;
    } else {
      struct node *inner = get(&left->right);
      if (dcas(&leftHat, &left->right, left, inner, inner, left))
        return left->value;
    }
  }
}

static void *rightToLeft(void *arg) {
  (void)arg;
  pushRight(&nodes[0], 1);
  return (void *)(long)popLeft();
}

static void *leftToRight(void *arg) {
  (void)arg;
  pushLeft(&nodes[1], 2);
  return (void *)(long)popRight();
}

int main(void) {
  pthread_t a, b;
  void *first, *second;
  pthread_create(&a, NULL, rightToLeft, NULL);
  pthread_create(&b, NULL, leftToRight, NULL);
  pthread_join(a, &first);
  pthread_join(b, &second);
  assert(((long)first == 1 && (long)second == 2) || ((long)first == 2 && (long)second == 1));
  assert(popRight() == 0);
  return 0;
}

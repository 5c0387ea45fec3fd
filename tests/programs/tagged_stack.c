// The ABA problem and its cure: the top of the stack has a tag that every change counts up, swapped together with it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef NO_TAG
#define STEP 0
#else
#define STEP 1
#endif
#ifdef WEAK
#define swap atomic_compare_exchange_weak
#else
#define swap atomic_compare_exchange_strong
#endif

struct node {
  struct node *next;
};

struct tagged {
  struct node *node;
  uintptr_t tag;
};

struct node second = {NULL}, first = {&second};
_Atomic struct tagged top;

static struct node *pop(void) {
  struct tagged old = atomic_load(&top), rest;
  do {
    if (old.node == NULL)
      return NULL;
    rest.node = old.node->next;
    rest.tag = old.tag + STEP;
  } while (!swap(&top, &old, rest));
  return old.node;
}

static void push(struct node *node) {
  struct tagged old = atomic_load(&top), more = {node, 0};
  do {
    node->next = old.node;
    more.tag = old.tag + STEP;
  } while (!swap(&top, &old, more));
}

static void *popOne(void *arg) {
  (void)arg;
  return pop();
}

static void *popTwoPushOne(void *arg) {
  (void)arg;
  struct node *a = pop();
  struct node *b = pop();
  if (a != NULL)
    push(a);
  return b; // from now on this thread's own
}

int main(void) {
  pthread_t a, b;
  void *kept;
  struct tagged start = {&first, 0};
  atomic_init(&top, start);
#ifdef PERMUTE
  pthread_create(&b, NULL, popTwoPushOne, NULL);
  pthread_create(&a, NULL, popOne, NULL);
#else
  pthread_create(&a, NULL, popOne, NULL);
  pthread_create(&b, NULL, popTwoPushOne, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, &kept);
  struct tagged end = atomic_load(&top);
  assert(kept == NULL || end.node != kept);
  return 0;
}

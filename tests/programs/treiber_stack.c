// Treiber's stack: two threads push and pop one node each; PSO wants the publishing compare-and-swap to release.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

struct node {
  int value;
  struct node *next;
};

struct node nodes[2];
struct node *_Atomic top;

static void push(struct node *node) {
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    node->next = old;
  while (!atomic_compare_exchange_strong_explicit(&top, &old, node, ORDER, memory_order_relaxed));
}

static struct node *pop(void) {
  struct node *old = atomic_load_explicit(&top, memory_order_acquire);
  while (old != NULL && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acquire,
                                                                  memory_order_acquire))
    ;
  return old;
}

static void *thread(void *arg) {
  long me = (long)arg;
  nodes[me].value = 1;
  push(&nodes[me]);
  struct node *got = pop();
  assert(got != NULL); // two pushes and two pops, own push first
  assert(got->value == 1);
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_create(&a, NULL, thread, (void *)0);
#else
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(top == NULL);
  return 0;
}

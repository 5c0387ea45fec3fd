// Nodes are pushed onto a shared list. WRONG: with a relaxed compare-and-swap.
#include <pthread.h>
#include <stdatomic.h>

#ifdef WRONG
#define PUSH memory_order_relaxed
#else
#define PUSH memory_order_release
#endif

struct node {
  int value;
  struct node *next;
};

static struct node nodes[2];
static _Atomic(struct node *) top;

static void *first(void *arg) {
  struct node *mine = &nodes[0];
  mine->value = 1;
  mine->next = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &mine->next, mine, PUSH, memory_order_relaxed))
    ;
  return arg;
}

static void *second(void *arg) {
  struct node *seen = atomic_load_explicit(&top, memory_order_acquire);
  return seen && seen->value != 1 ? NULL : arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

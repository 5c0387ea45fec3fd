// Treiber's stack: two threads push, two pop until they get something. No loop has a bound. Robust.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
  int taken;
};

static struct node *_Atomic top;

static void *push(void *arg) {
  struct node *mine = malloc(sizeof *mine);
  mine->taken = 0;
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    mine->next = old;
  while (!atomic_compare_exchange_weak_explicit(&top, &old, mine, memory_order_release, memory_order_relaxed));
  return arg;
}

static void *pop(void *arg) {
  for (;;) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    if (old == NULL)
      continue;
    if (atomic_compare_exchange_weak_explicit(&top, &old, old->next, memory_order_acquire, memory_order_relaxed)) {
      assert(!old->taken);
      old->taken = 1;
      return arg;
    }
  }
}

int main(void) {
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, push, NULL);
  pthread_create(&threads[1], NULL, push, NULL);
  pthread_create(&threads[2], NULL, pop, NULL);
  pthread_create(&threads[3], NULL, pop, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  assert(top == NULL);
  return 0;
}

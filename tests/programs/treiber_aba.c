// The ABA problem: a popped node is pushed again while another pop still trusts its old successor.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  struct node *next;
};

struct node second = {NULL}, first = {&second};
struct node *_Atomic top = &first;

static struct node *pop(void) {
  struct node *old = atomic_load(&top);
  while (old != NULL && !atomic_compare_exchange_strong(&top, &old, old->next))
    ;
  return old;
}

static void push(struct node *node) {
  struct node *old = atomic_load(&top);
  do
    node->next = old;
  while (!atomic_compare_exchange_strong(&top, &old, node));
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
  pthread_create(&a, NULL, popOne, NULL);
  pthread_create(&b, NULL, popTwoPushOne, NULL);
  pthread_join(a, NULL);
  pthread_join(b, &kept);
  assert(kept == NULL || top != kept);
  return 0;
}

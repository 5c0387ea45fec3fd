// Multi-producer single-consumer list: producers swap the head and link behind them; ORDER is that of both steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

struct node {
  int value;
  struct node *_Atomic next;
};

struct node nodes[3]; // the last one is the stub
struct node *_Atomic head = &nodes[2];

static void *producer(void *arg) {
  struct node *node = &nodes[(long)arg];
  node->value = (int)(long)arg + 1;
  struct node *before = atomic_exchange_explicit(&head, node, ORDER);
  atomic_store_explicit(&before->next, node, ORDER);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  struct node *at = &nodes[2], *next;
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    while ((next = atomic_load_explicit(&at->next, memory_order_acquire)) == NULL)
      ;
    sum += next->value;
    at = next;
  }
  assert(sum == 3);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
#ifdef PERMUTE
  pthread_create(&c, NULL, consumer, NULL);
  pthread_create(&b, NULL, producer, (void *)1);
  pthread_create(&a, NULL, producer, (void *)0);
#else
  pthread_create(&a, NULL, producer, (void *)0);
  pthread_create(&b, NULL, producer, (void *)1);
  pthread_create(&c, NULL, consumer, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}

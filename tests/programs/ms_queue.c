// Michael and Scott's queue in small: two producers, one consumer, one node each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  int value;
  struct node *_Atomic next;
};

struct node nodes[3]; // the last one is the dummy
struct node *_Atomic head = &nodes[2], *_Atomic tail = &nodes[2];

static void enqueue(struct node *node) {
  for (;;) {
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&last->next);
    if (next != NULL) {
      atomic_compare_exchange_strong(&tail, &last, next); // help
      continue;
    }
    if (atomic_compare_exchange_strong(&last->next, &next, node)) {
      atomic_compare_exchange_strong(&tail, &last, node);
      return;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    struct node *first = atomic_load(&head);
    struct node *last = atomic_load(&tail);
    struct node *next = atomic_load(&first->next);
    if (next == NULL)
      return 0;
    if (first == last) {
      atomic_compare_exchange_strong(&tail, &last, next); // help
      continue;
    }
    int value = next->value;
    if (atomic_compare_exchange_strong(&head, &first, next))
      return value;
  }
}

static void *producer(void *arg) {
  long me = (long)arg;
  nodes[me].value = (int)me + 1;
  enqueue(&nodes[me]);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  return (void *)(long)dequeue();
}

int main(void) {
  pthread_t a, b, c;
  void *got;
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
  pthread_join(c, &got);
  int sum = (int)(long)got + dequeue() + dequeue();
  assert(sum == 3 && dequeue() == 0);
  return 0;
}

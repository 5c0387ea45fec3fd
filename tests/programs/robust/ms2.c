// Michael and Scott's two-lock queue (1996), with test-and-set locks. TSO delays no store past the next lock taken;
// PSO delays what is stored under a lock past the store that frees it, and filling a node past linking it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

struct node {
  int value;
  struct node *_Atomic next; // read by who holds the other lock
};

struct node nodes[3]; // the last one is the dummy
struct node *head = &nodes[2], *tail = &nodes[2];
atomic_int headLock, tailLock;

static void lock(atomic_int *it) {
  while (atomic_exchange_explicit(it, 1, memory_order_relaxed))
    ;
}
static void unlock(atomic_int *it) { atomic_store_explicit(it, 0, PUBLISH); }

static void enqueue(struct node *node, int value) {
  node->value = value;
  atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
  lock(&tailLock);
  atomic_store_explicit(&tail->next, node, PUBLISH);
  tail = node;
  unlock(&tailLock);
}

static int dequeue(void) {
  int value = 0;
  lock(&headLock);
  struct node *next = atomic_load_explicit(&head->next, memory_order_relaxed);
  if (next != NULL) {
    value = next->value;
    head = next;
  }
  unlock(&headLock);
  return value;
}

static void *both(void *arg) {
  long me = (long)arg;
  enqueue(&nodes[me], (int)me + 1);
  return (void *)(long)dequeue();
}

static void *consumer(void *arg) {
  (void)arg;
  return (void *)(long)dequeue();
}

int main(void) {
  pthread_t a, b, c;
  void *first, *second, *third;
  pthread_create(&a, NULL, both, (void *)0);
  pthread_create(&b, NULL, both, (void *)1);
  pthread_create(&c, NULL, consumer, NULL);
  pthread_join(a, &first);
  pthread_join(b, &second);
  pthread_join(c, &third);
  assert((long)first + (long)second + (long)third == 3);
  assert(dequeue() == 0);
  return 0;
}

#include <assert.h>
#include <pthread.h>
#include "mpsc_queue.c"

static struct mpsc_queue queue;
static struct mpsc_node node;

static void *producer(void *arg) {
  (void)arg;
  node.value = 41;
  mpsc_push(&queue, &node);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  struct mpsc_node *first = mpsc_pop(&queue);
  assert(!first || first->value == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  mpsc_init(&queue);
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

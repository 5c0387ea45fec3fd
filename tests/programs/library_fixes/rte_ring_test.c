#include <assert.h>
#include <pthread.h>
#include "rte_ring.h"

static struct rte_ring ring;

static void *producer(void *arg) {
  (void)arg;
  rte_ring_enqueue(&ring, 41);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  int value;
  if (rte_ring_dequeue(&ring, &value))
    assert(value == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

#include <assert.h>
#include <pthread.h>
#include "pr_ring.h"

static struct pr_ring ring;

static void *producer(void *arg) {
  (void)arg;
  pr_ring_enqueue_spsc(&ring, 41);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  int value;
  if (pr_ring_dequeue_spsc(&ring, &value))
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

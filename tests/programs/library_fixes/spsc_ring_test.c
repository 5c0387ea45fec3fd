#include <assert.h>
#include <pthread.h>
#include "spsc_ring.h"

static struct spsc_ring ring;

static void *producer(void *arg) {
  (void)arg;
  spsc_ring_push(&ring, 41);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  int value;
  if (spsc_ring_pop(&ring, &value))
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

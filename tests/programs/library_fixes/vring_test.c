#include <assert.h>
#include <pthread.h>
#include "vring.h"

static vring_t ring;

static void *producer(void *arg) {
  (void)arg;
  vring_enq(&ring, 41);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  int value;
  if (vring_deq(&ring, &value))
    assert(value == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  vring_init(&ring);
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

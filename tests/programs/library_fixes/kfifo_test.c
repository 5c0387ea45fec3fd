#include <assert.h>
#include <pthread.h>
#include "kfifo.h"

static struct kfifo ring;

static void *producer(void *arg) {
  (void)arg;
  kfifo_put(&ring, 41);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  int value;
  if (kfifo_get(&ring, &value))
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

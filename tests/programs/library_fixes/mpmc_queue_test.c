#include <assert.h>
#include <pthread.h>
#include "mpmc_queue.h"

static struct mpmc_queue queue;

static void *producer(void *arg) {
  (void)arg;
  mpmc_enqueue(&queue, 41);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  int data;
  if (mpmc_dequeue(&queue, &data))
    assert(data == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  mpmc_init(&queue);
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// What is taken was put, in order. The queue is in queue.c.
#include "queue.h"

#include <assert.h>
#include <pthread.h>

static void *producer(void *arg) {
  put(1);
  put(2);
  return arg;
}

int main(void) {
  pthread_t t;
  int first = 0, second = 0;
  pthread_create(&t, 0, producer, 0);
  if (take(&first))
    assert(first == 1);
  if (first && take(&second))
    assert(second == 2);
  pthread_join(t, 0);
  return 0;
}

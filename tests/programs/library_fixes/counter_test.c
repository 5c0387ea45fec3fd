#include <assert.h>
#include <pthread.h>
#include "counter.h"

static struct counter counter;
static atomic_int flag;
static int message;

static void *sender(void *arg) {
  (void)arg;
  message = 41;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  counter_add(&counter, 1);
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  if (atomic_load_explicit(&flag, memory_order_acquire))
    assert(message == 41 && counter_get(&counter) < 2);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, receiver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

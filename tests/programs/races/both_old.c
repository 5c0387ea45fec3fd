// Only where both threads read what is old do both write: which no execution of SC has.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int a, b;

static void *left(void *arg) {
  atomic_store_explicit(&a, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&b, memory_order_relaxed))
    data = 1;
  return arg;
}

static void *right(void *arg) {
  atomic_store_explicit(&b, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&a, memory_order_relaxed))
    data = 2;
  return arg;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, left, NULL);
  pthread_create(&u, NULL, right, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
}

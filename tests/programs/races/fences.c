// Fences around a relaxed flag. WRONG: the acquire fence is missing.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *first(void *arg) {
  data = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return arg;
}

static void *second(void *arg) {
  if (atomic_load_explicit(&flag, memory_order_relaxed)) {
#ifndef WRONG
    atomic_thread_fence(memory_order_acquire);
#endif
    data = 2;
  }
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

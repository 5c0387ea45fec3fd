// A later relaxed store of the releasing thread: part of the release sequence from C11 to C++17, not since C++20.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *first(void *arg) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  return arg;
}

// A read of 1 synchronises in both.
static void *second(void *arg) {
  if (atomic_load_explicit(&flag, memory_order_acquire))
    data = 2;
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

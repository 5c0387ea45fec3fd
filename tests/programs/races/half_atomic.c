// All accesses of a counter are atomic. WRONG: one reads it through a plain pointer.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *first(void *arg) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return arg;
}

static void *second(void *arg) {
#ifdef WRONG
  int seen = *(int *)&count;
#else
  int seen = atomic_load_explicit(&count, memory_order_relaxed);
#endif
  return seen > 1 ? NULL : arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

// A flag hands data over. WRONG: it is relaxed, so it orders nothing.
#include <pthread.h>
#include <stdatomic.h>

#ifdef WRONG
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static int data;
static atomic_int flag;

static void *first(void *arg) {
  data = 42;
  atomic_store_explicit(&flag, 1, PUBLISH);
  return arg;
}

static void *second(void *arg) {
  if (atomic_load_explicit(&flag, memory_order_acquire))
    data = data + 1;
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

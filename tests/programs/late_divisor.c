// A division by what a load gives does not keep later stores back under POWER: it may be one by zero because of them.
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(v) atomic_load_explicit(&v, memory_order_relaxed)
#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_relaxed)

atomic_int x, y, z;

static void *divide(void *arg) {
  int a = LOAD(x);
#ifdef LOOK
  if (a != 1)
#endif
    STORE(z, 6 / (a - 1));
  STORE(y, 1);
  return arg;
}

static void *copy(void *arg) {
  STORE(x, LOAD(y));
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, copy, NULL);
  pthread_create(&a, NULL, divide, NULL);
#else
  pthread_create(&a, NULL, divide, NULL);
  pthread_create(&b, NULL, copy, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

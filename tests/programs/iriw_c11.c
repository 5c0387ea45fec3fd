// Independent reads of independent writes with atomics. DEPENDENT: the address of the second load is made from the first
// value, which orders the loads on ARM64 and POWER. ARM64 then shows both readers one order; POWER may not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE_ORDER
#define STORE_ORDER memory_order_relaxed
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER memory_order_relaxed
#endif

atomic_int x[2], y[2]; // the second of each; the first is for readers that saw nothing

static void *write(void *arg) {
  atomic_store_explicit((atomic_int *)arg, 1, STORE_ORDER);
  return NULL;
}

static int readBoth(atomic_int *a, atomic_int *b) {
  int first = atomic_load_explicit(&a[1], LOAD_ORDER);
#ifdef DEPENDENT
  int second = atomic_load_explicit(&b[first], LOAD_ORDER);
#else
  int second = atomic_load_explicit(&b[1], LOAD_ORDER);
#endif
  return first && !second;
}

static void *readXY(void *arg) {
  (void)arg;
  return (void *)(long)readBoth(x, y);
}

static void *readYX(void *arg) {
  (void)arg;
  return (void *)(long)readBoth(y, x);
}

int main(void) {
  pthread_t a, b, c, d;
  void *sawX, *sawY;
  pthread_create(&a, NULL, write, &x[1]);
  pthread_create(&b, NULL, write, &y[1]);
  pthread_create(&c, NULL, readXY, NULL);
  pthread_create(&d, NULL, readYX, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, &sawX);
  pthread_join(d, &sawY);
  assert(!(sawX && sawY));
  return 0;
}

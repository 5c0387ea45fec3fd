// Dekker's algorithm: each thread sets its flag, then reads the other thread's flag; only one thread may enter.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag0, flag1, turn;
int inside;

void *left(void *arg) {
  (void)arg;
  atomic_store_explicit(&flag0, 1, memory_order_relaxed);
  while (atomic_load_explicit(&flag1, memory_order_relaxed)) {
    if (atomic_load_explicit(&turn, memory_order_relaxed) != 0) {
      atomic_store_explicit(&flag0, 0, memory_order_relaxed);
      while (atomic_load_explicit(&turn, memory_order_relaxed) != 0)
        ;
      atomic_store_explicit(&flag0, 1, memory_order_relaxed);
    }
  }
  inside = 1;
  assert(inside == 1);
  atomic_store_explicit(&turn, 1, memory_order_relaxed);
  atomic_store_explicit(&flag0, 0, memory_order_relaxed);
  return 0;
}

void *right(void *arg) {
  (void)arg;
  atomic_store_explicit(&flag1, 1, memory_order_relaxed);
  while (atomic_load_explicit(&flag0, memory_order_relaxed)) {
    if (atomic_load_explicit(&turn, memory_order_relaxed) != 1) {
      atomic_store_explicit(&flag1, 0, memory_order_relaxed);
      while (atomic_load_explicit(&turn, memory_order_relaxed) != 1)
        ;
      atomic_store_explicit(&flag1, 1, memory_order_relaxed);
    }
  }
  inside = 2;
  assert(inside == 2);
  atomic_store_explicit(&turn, 0, memory_order_relaxed);
  atomic_store_explicit(&flag1, 0, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, left, 0);
  pthread_create(&b, 0, right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}

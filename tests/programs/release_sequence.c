// Whoever reads what an update made of a released value has synchronised with the release. A later relaxed store of the
// releasing thread (SAME_THREAD) continued it, too, until C++20; machines still keep it in order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

int data;
atomic_int flag;

static void *publish(void *arg) {
  data = 1;
  atomic_store_explicit(&flag, 1, ORDER);
#ifdef SAME_THREAD
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
#endif
  return arg;
}

static void *count(void *arg) {
#ifndef SAME_THREAD
  atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
#endif
  return arg;
}

static void *consume(void *arg) {
  if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
    assert(data == 1);
  return arg;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, publish, NULL);
  pthread_create(&b, NULL, count, NULL);
  pthread_create(&c, NULL, consume, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}

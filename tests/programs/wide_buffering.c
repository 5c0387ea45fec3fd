// Stores of 16 bytes wait in the store buffer like others, and loads of a half are given their part from there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

union word {
  _Atomic unsigned __int128 whole;
  _Atomic uint64_t halves[2];
  _Atomic uint32_t quarters[4];
};

union word x, y;
uint64_t seen[2];

static uint64_t thread(union word *mine, union word *other) {
  atomic_store_explicit(&mine->whole, (unsigned __int128)2 << 64 | 1, ORDER);
  assert(atomic_load_explicit(&mine->halves[1], memory_order_relaxed) == 2);
  assert(atomic_load_explicit(&mine->quarters[0], memory_order_relaxed) == 1);
  atomic_store_explicit(&mine->quarters[3], 3, memory_order_relaxed);
  assert(atomic_load_explicit(&mine->whole, memory_order_relaxed) >> 64 == (3ull << 32 | 2));
  return (uint64_t)atomic_load_explicit(&other->whole, memory_order_relaxed);
}

static void *first(void *arg) {
  seen[0] = thread(&x, &y);
  return arg;
}

static void *second(void *arg) {
  seen[1] = thread(&y, &x);
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, second, NULL);
  pthread_create(&a, NULL, first, NULL);
#else
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(seen[0] == 1 || seen[1] == 1);
  return 0;
}

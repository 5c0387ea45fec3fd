// A pair of words that is read and written as one: no reader sees half of a change, and no lock is needed for that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct pair {
  uint64_t a, b;
};

union {
  _Atomic struct pair whole;
  unsigned __int128 plain;
  _Atomic uint64_t halves[2];
} now;

static void *writer(void *arg) {
  for (uint64_t k = 1; k <= 2; ++k) {
#ifdef PLAIN
    now.plain = (unsigned __int128)k << 64 | k;
#else
    struct pair next = {k, k};
    atomic_store_explicit(&now.whole, next, memory_order_relaxed);
#endif
  }
  return arg;
}

static void *reader(void *arg) {
#ifdef HALVES
  struct pair seen;
  seen.b = atomic_load_explicit(&now.halves[1], memory_order_relaxed);
  seen.a = atomic_load_explicit(&now.halves[0], memory_order_relaxed);
  assert(seen.a >= seen.b); // they are never taken back
  assert(seen.a == seen.b);
#else
  struct pair seen = atomic_load_explicit(&now.whole, memory_order_relaxed);
  assert(seen.a == seen.b);
#endif
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&a, NULL, writer, NULL);
#else
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

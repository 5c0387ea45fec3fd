// Sequence lock with atomics. The second load of the number has to come after those of the data: that is what the acquire
// fence is for. An acquire load instead (NO_FENCE) orders what comes after it, not what comes before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(v, order) atomic_load_explicit(&v, memory_order_##order)
#define STORE(v, value, order) atomic_store_explicit(&v, value, memory_order_##order)

atomic_uint sequence;
atomic_int x, y;

static void *writer(void *arg) {
  STORE(sequence, 1, relaxed);
#ifndef NO_WRITER_FENCE
  atomic_thread_fence(memory_order_release);
#endif
  STORE(x, 1, relaxed);
  STORE(y, 1, relaxed);
  STORE(sequence, 2, release);
  return arg;
}

static void *reader(void *arg) {
  unsigned before = LOAD(sequence, acquire);
  int seenX = LOAD(x, relaxed), seenY = LOAD(y, relaxed);
#ifdef NO_FENCE
  unsigned after = LOAD(sequence, acquire);
#else
  atomic_thread_fence(memory_order_acquire);
  unsigned after = LOAD(sequence, relaxed);
#endif
  if (before == after && before % 2 == 0)
    assert(seenX == seenY);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

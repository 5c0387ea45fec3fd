// A seqlock whose data is atomic. WRONG: it is plain, and what was read is thrown away too late.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
#ifdef WRONG
static int left, right;
#define READ(v) (v)
#define WRITE(v, to) ((v) = (to))
#else
static atomic_int left, right;
#define READ(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define WRITE(v, to) atomic_store_explicit(&(v), to, memory_order_relaxed)
#endif

static void *first(void *arg) {
  atomic_store_explicit(&sequence, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  WRITE(left, 1);
  WRITE(right, 1);
  atomic_store_explicit(&sequence, 2, memory_order_release);
  return arg;
}

static void *second(void *arg) {
  unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
  int l = READ(left), r = READ(right);
  atomic_thread_fence(memory_order_acquire);
  unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
  if (before == after && before % 2 == 0)
    assert(l == r);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

// A ring buffer for one producer and one consumer. WRONG: the consumer gives slots back with a relaxed store.
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 1
#ifdef WRONG
#define GIVE_BACK memory_order_relaxed
#else
#define GIVE_BACK memory_order_release
#endif

static int slots[SIZE];
static atomic_uint head, tail;

static int push(int value) {
  unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
  if (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
    return 0;
  slots[t % SIZE] = value;
  atomic_store_explicit(&tail, t + 1, memory_order_release);
  return 1;
}

static int pop(int *value) {
  unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
  if (h == atomic_load_explicit(&tail, memory_order_acquire))
    return 0;
  *value = slots[h % SIZE];
  atomic_store_explicit(&head, h + 1, GIVE_BACK);
  return 1;
}

static void *first(void *arg) {
  push(1);
  push(2);
  return arg;
}

static void *second(void *arg) {
  int value = 0;
  pop(&value);
  return value > 1 ? NULL : arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

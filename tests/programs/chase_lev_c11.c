// Chase and Lev's deque with C11 atomics, as Le, Pop, Cohen and Zappa Nardelli have published it. The owner moves to a
// larger array; it was published by a relaxed store (ORDER), so that a thief could find nothing in it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif
#define LOAD(v, order) atomic_load_explicit(&v, memory_order_##order)
#define STORE(v, value, order) atomic_store_explicit(&v, value, memory_order_##order)

struct array {
  int size;
  atomic_int tasks[2];
};

struct array small = {1, {0, 0}}, large = {2, {0, 0}};
struct array *_Atomic array = &small;
atomic_int top, bottom, done[3]; // done[t]: how often task t was handed out

static void push(int task) {
  int b = LOAD(bottom, relaxed), t = LOAD(top, acquire);
  struct array *a = LOAD(array, relaxed);
  if (b - t > a->size - 1) {
    for (int k = t; k < b; k++)
      STORE(large.tasks[k], LOAD(a->tasks[k], relaxed), relaxed);
    atomic_store_explicit(&array, &large, ORDER);
    a = &large;
  }
  STORE(a->tasks[b], task, relaxed);
  atomic_thread_fence(memory_order_release);
  STORE(bottom, b + 1, relaxed);
}

static int take(void) {
  int b = LOAD(bottom, relaxed) - 1;
  struct array *a = LOAD(array, relaxed);
  STORE(bottom, b, relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  int t = LOAD(top, relaxed), task = 0;
  if (t <= b) {
    task = LOAD(a->tasks[b], relaxed);
    if (t < b)
      return task;
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
      task = 0;
  }
  STORE(bottom, b + 1, relaxed);
  return task;
}

static int steal(void) {
  int t = LOAD(top, acquire);
  atomic_thread_fence(memory_order_seq_cst);
  int b = LOAD(bottom, acquire);
  if (t >= b)
    return 0;
  struct array *a = LOAD(array, acquire);
  int task = LOAD(a->tasks[t], relaxed);
  assert(task != 0);
  return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed) ? task
                                                                                                              : 0;
}

static void finish(int task) {
  if (task != 0)
    assert(atomic_fetch_add_explicit(&done[task], 1, memory_order_relaxed) == 0);
}

static void *thief(void *arg) {
  finish(steal());
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, thief, NULL);
  push(1);
  push(2);
  finish(take());
#ifdef TAKE_BOTH
  finish(take());
#endif
  pthread_join(a, NULL);
  return 0;
}

// Chase and Lev's work-stealing deque in small: TSO needs the fence of level 1 in take, PSO that of level 2 in push,
// POWER those of level 3 in steal.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

volatile int tasks[4], bottom;
atomic_int top, done[3]; // done[t]: how often task t was handed out

static void push(int task) {
  int b = bottom;
  tasks[b] = task;
  FENCE(2);
  bottom = b + 1;
}

static int take(void) {
  int b = bottom - 1;
  bottom = b;
  FENCE(1);
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t < b)
    return tasks[b];
  int task = 0;
  if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1)) // the last one: race with thieves
    task = tasks[b];
  bottom = b + 1;
  return task;
}

static int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  FENCE(3);
  if (t >= bottom)
    return 0;
  FENCE(3);
  int task = tasks[t];
  assert(task != 0);
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : 0;
}

static void finish(int task) {
  if (task != 0)
    assert(atomic_fetch_add_explicit(&done[task], 1, memory_order_relaxed) == 0);
}

static void *thief(void *arg) {
  (void)arg;
  finish(steal());
  finish(steal());
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, thief, NULL);
  push(1);
  push(2);
  finish(take());
  finish(take());
  pthread_join(a, NULL);
  assert(done[1] == 1 && done[2] == 1);
  return 0;
}

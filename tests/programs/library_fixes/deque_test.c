#include <assert.h>
#include <pthread.h>
#include "deque.h"

static struct deque deque;
static atomic_int taken[3];

static void take(int item) {
  if (item != DEQUE_EMPTY)
    assert(atomic_exchange_explicit(&taken[item], 1, memory_order_relaxed) == 0);
}

static void *thief(void *arg) {
  (void)arg;
  take(deque_steal(&deque));
  take(deque_steal(&deque));
  return NULL;
}

int main(void) {
  pthread_t a;
  deque_push(&deque, 0);
  deque_push(&deque, 1);
  pthread_create(&a, NULL, thief, NULL);
  take(deque_take(&deque));
  pthread_join(a, NULL);
  return 0;
}

// Threads of a portable runtime library count events under a lock, and keep a record of each in a pool of their own,
// which is a child of the parent's. Everything is locked: the program is right, and robust.
#include "pools.h"

#ifndef N
#define N 2
#endif
#ifndef EVENTS
#define EVENTS 2
#endif

struct counter {
  struct lock *lock;
  int events;
};

struct record {
  int number;
};

static void count(struct thread *self, void *data) {
  struct counter *counter = data;
  struct record *last = NULL;
  for (int k = 0; k < EVENTS; k++) {
    struct pool *pool = pool_create(self->pool);
    struct record *made = pool_alloc(pool, sizeof *made);
    lock(counter->lock);
    made->number = ++counter->events;
    unlock(counter->lock);
    assert(!last || made->number > last->number);
    if (!last)
      last = pool_alloc(self->pool, sizeof *last);
    last->number = made->number;
    pool_destroy(pool);
  }
}

int main(void) {
  struct pool *pool = pool_create(NULL);
  struct counter *counter = pool_alloc(pool, sizeof *counter);
  counter->lock = lock_create(pool);
  counter->events = 0;
  struct thread *threads[N];
  for (int i = 0; i < N; i++)
    threads[i] = thread_create(pool, count, counter);
  for (int i = 0; i < N; i++)
    thread_join(threads[i]);
  assert(counter->events == N * EVENTS);
  pool_destroy(pool);
  assert(pools_alive == 0);
  return 0;
}

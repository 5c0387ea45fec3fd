// Threads of a portable runtime library post events to one that handles them, through a list under a lock. The records
// are from a pool that all of them share, with a lock of its own. Everything is locked: the program is right, and
// robust.
#include "pools.h"

#ifndef N
#define N 2
#endif
#ifndef EVENTS
#define EVENTS 1
#endif

struct event {
  struct event *next;
  int number;
};

struct queue {
  struct lock *lock, *pool_lock;
  struct pool *pool;
  struct event *first;
  int posted, handled;
};

static void post(struct thread *self, void *data) {
  struct queue *queue = data;
  (void)self;
  for (int k = 0; k < EVENTS; k++) {
    lock(queue->pool_lock);
    struct event *event = pool_alloc(queue->pool, sizeof *event);
    unlock(queue->pool_lock);
    lock(queue->lock);
    event->number = queue->posted++;
    event->next = queue->first;
    queue->first = event;
    unlock(queue->lock);
  }
}

/// Takes all there is, so many times; what comes later is left for the end.
static void handle(struct thread *self, void *data) {
  struct queue *queue = data;
  struct pool *own = pool_create(self->pool);
  int *handled = pool_alloc(own, sizeof *handled);
  *handled = 0;
  for (int k = 0; k < EVENTS; k++) {
    lock(queue->lock);
    for (; queue->first; queue->first = queue->first->next) {
      assert(!queue->first->next || queue->first->next->number < queue->first->number);
      ++*handled;
    }
    unlock(queue->lock);
  }
  lock(queue->lock);
  queue->handled += *handled;
  unlock(queue->lock);
  pool_destroy(own);
}

int main(void) {
  struct pool *pool = pool_create(NULL);
  struct queue *queue = pool_alloc(pool, sizeof *queue);
  queue->lock = lock_create(pool);
  queue->pool_lock = lock_create(pool);
  queue->pool = pool_create(pool);
  queue->first = NULL;
  queue->posted = queue->handled = 0;
  struct thread *posting[N], *handling;
  for (int i = 0; i < N; i++)
    posting[i] = thread_create(pool, post, queue);
  handling = thread_create(pool, handle, queue);
  for (int i = 0; i < N; i++)
    thread_join(posting[i]);
  thread_join(handling);
  for (; queue->first; queue->first = queue->first->next)
    queue->handled++;
  assert(queue->posted == N * EVENTS && queue->handled == queue->posted);
  pool_destroy(pool);
  assert(pools_alive == 0);
  return 0;
}

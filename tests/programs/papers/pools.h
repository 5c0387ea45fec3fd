// Memory pools, threads and locks in the manner of a portable runtime library: memory comes from pools that have a
// parent and are destroyed as a whole, threads and locks are made from a pool, and the allocator behind all pools has a
// lock of its own.
#pragma once
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define POOL_SIZE 512

struct pool {
  struct pool *parent, *child, *sibling;
  size_t used;
  _Alignas(16) char memory[POOL_SIZE];
};

static pthread_mutex_t allocator_lock = PTHREAD_MUTEX_INITIALIZER;
static int pools_alive;

static struct pool *pool_create(struct pool *parent) {
  struct pool *made = malloc(sizeof *made);
  made->parent = parent;
  made->child = NULL;
  made->sibling = NULL;
  made->used = 0;
  pthread_mutex_lock(&allocator_lock);
  pools_alive++;
  if (parent) {
    made->sibling = parent->child;
    parent->child = made;
  }
  pthread_mutex_unlock(&allocator_lock);
  return made;
}

/// Only the thread that has the pool allocates from it.
static void *pool_alloc(struct pool *pool, size_t size) {
  void *made = pool->memory + pool->used;
  pool->used += (size + 15) / 16 * 16;
  assert(pool->used <= POOL_SIZE);
  return made;
}

static void pool_destroy(struct pool *pool) {
  while (pool->child)
    pool_destroy(pool->child);
  pthread_mutex_lock(&allocator_lock);
  pools_alive--;
  if (pool->parent) {
    struct pool **link = &pool->parent->child;
    while (*link != pool)
      link = &(*link)->sibling;
    *link = pool->sibling;
  }
  pthread_mutex_unlock(&allocator_lock);
  free(pool);
}

struct thread {
  pthread_t id;
  struct pool *pool;
  void (*run)(struct thread *self, void *data);
  void *data;
};

static void *thread_main(void *arg) {
  struct thread *self = arg;
  self->run(self, self->data);
  return NULL;
}

/// The thread gets a pool of its own, a child of the one given.
static struct thread *thread_create(struct pool *pool, void (*run)(struct thread *, void *), void *data) {
  struct thread *made = pool_alloc(pool, sizeof *made);
  made->pool = pool_create(pool);
  made->run = run;
  made->data = data;
  pthread_create(&made->id, NULL, thread_main, made);
  return made;
}

static void thread_join(struct thread *thread) { pthread_join(thread->id, NULL); }

struct lock {
  pthread_mutex_t mutex;
};

static struct lock *lock_create(struct pool *pool) {
  struct lock *made = pool_alloc(pool, sizeof *made);
  pthread_mutex_init(&made->mutex, NULL);
  return made;
}

static void lock(struct lock *lock) { pthread_mutex_lock(&lock->mutex); }
static void unlock(struct lock *lock) { pthread_mutex_unlock(&lock->mutex); }

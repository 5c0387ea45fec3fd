// MCS queue lock of N threads, taken and left for ever. Robust.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

struct node {
  struct node *_Atomic next;
  atomic_int locked;
};

static struct node nodes[N];
static struct node *_Atomic tail;
static volatile int critical;

static void lock(struct node *mine) {
  atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (before == NULL)
    return;
  atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
  atomic_store_explicit(&before->next, mine, memory_order_release);
  while (atomic_load_explicit(&mine->locked, memory_order_acquire))
    ;
}

static void unlock(struct node *mine) {
  if (atomic_load_explicit(&mine->next, memory_order_acquire) == NULL) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_acq_rel, memory_order_relaxed))
      return;
    while (atomic_load_explicit(&mine->next, memory_order_acquire) == NULL)
      ;
  }
  struct node *after = atomic_load_explicit(&mine->next, memory_order_relaxed);
  atomic_store_explicit(&after->locked, 0, memory_order_release);
}

static void *thread(void *arg) {
  int me = (int)(long)arg;
  for (;;) {
    lock(&nodes[me]);
    critical = me;
    assert(critical == me);
    unlock(&nodes[me]);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, thread, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

// MCS queue lock; ORDER is that of the store that hands the lock over, which PSO wants to be a release.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ORDER
#define ORDER memory_order_release
#endif

struct node {
  struct node *_Atomic next;
  atomic_int locked;
};

struct node nodes[N];
struct node *_Atomic tail;
int counter;

static void lock(struct node *mine) {
  atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (before == NULL)
    return;
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
  atomic_store_explicit(&after->locked, 0, ORDER);
}

static void *thread(void *arg) {
  struct node *mine = &nodes[(long)arg];
  lock(mine);
  counter++;
  unlock(mine);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long me = N - 1 - i;
#else
    long me = i;
#endif
    pthread_create(&threads[i], NULL, thread, (void *)me);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}

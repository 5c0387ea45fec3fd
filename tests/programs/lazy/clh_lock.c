// CLH queue lock of N threads, taken and left for ever: a thread goes on with its predecessor's node. Robust.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

struct node {
  atomic_int locked;
};

static struct node nodes[N + 1]; // the last one starts as the tail, unlocked
static struct node *_Atomic tail = &nodes[N];
static volatile int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg;
  struct node *mine = &nodes[me];
  for (;;) {
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    while (atomic_load_explicit(&before->locked, memory_order_acquire))
      ;
    critical = me;
    assert(critical == me);
    atomic_store_explicit(&mine->locked, 0, memory_order_release);
    mine = before;
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

// CLH queue lock: each thread spins on its predecessor's node; ORDER is that of the unlocking store.
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
  atomic_int locked;
};

struct node nodes[N + 1]; // the last one starts as the tail, unlocked
struct node *_Atomic tail = &nodes[N];
int counter;

static void *thread(void *arg) {
  struct node *mine = &nodes[(long)arg];
  atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  while (atomic_load_explicit(&before->locked, memory_order_acquire))
    ;
  counter++;
  atomic_store_explicit(&mine->locked, 0, ORDER);
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

// Peterson's mutual exclusion with C11 atomics: only seq_cst is enough under TSO and PSO.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif
#ifndef LOAD_ORDER
#define LOAD_ORDER ORDER
#endif
#define STORE(X, V) atomic_store_explicit(&(X), V, ORDER)
#define LOAD(X) atomic_load_explicit(&(X), LOAD_ORDER)

atomic_int flag[2], turn;
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  STORE(flag[me], 1);
  STORE(turn, other);
  while (LOAD(flag[other]) && LOAD(turn) == other)
    ;
  critical = me;
  assert(critical == me);
  STORE(flag[me], 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_create(&a, NULL, thread, (void *)0);
#else
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

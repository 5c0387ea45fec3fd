// Szymanski's mutual exclusion with C11 atomics: only seq_cst is enough under TSO and PSO.
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

// 0: outside, 1: wants in, 2: waits for others to come through the door, 3: in the doorway, 4: inside
atomic_int flag[2];
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  STORE(flag[me], 1);
  while (LOAD(flag[other]) >= 3)
    ;
  STORE(flag[me], 3);
  if (LOAD(flag[other]) == 1) {
    STORE(flag[me], 2);
    while (LOAD(flag[other]) != 4)
      ;
  }
  STORE(flag[me], 4);
  if (me == 1)
    while (LOAD(flag[other]) >= 2)
      ;
  critical = me;
  assert(critical == me);
  if (me == 0) {
    int seen;
    do
      seen = LOAD(flag[other]);
    while (seen == 2 || seen == 3);
  }
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

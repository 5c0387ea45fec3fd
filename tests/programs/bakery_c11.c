// Lamport's bakery with C11 atomics: only seq_cst is enough under TSO and PSO.
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

atomic_int choosing[2], number[2];
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me, theirs;
  STORE(choosing[me], 1);
  int mine = LOAD(number[other]) + 1;
  STORE(number[me], mine);
  STORE(choosing[me], 0);
  while (LOAD(choosing[other]))
    ;
  do
    theirs = LOAD(number[other]);
  while (theirs != 0 && (theirs < mine || (theirs == mine && other < me)));
  critical = me;
  assert(critical == me);
  STORE(number[me], 0);
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

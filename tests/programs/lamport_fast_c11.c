// Lamport's fast mutual exclusion with C11 atomics: only seq_cst is enough under TSO and PSO.
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

atomic_int b[2], x, y; // x and y hold a thread's number plus one, 0 for nobody
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me, id = me + 1;
  for (;;) {
    STORE(b[me], 1);
    STORE(x, id);
    if (LOAD(y) != 0) {
      STORE(b[me], 0);
      while (LOAD(y) != 0)
        ;
      continue;
    }
    STORE(y, id);
    if (LOAD(x) == id)
      break; // the fast path: nobody else came
    STORE(b[me], 0);
    while (LOAD(b[other]))
      ;
    if (LOAD(y) == id)
      break;
    while (LOAD(y) != 0)
      ;
  }
  critical = id;
  assert(critical == id);
  STORE(y, 0);
  STORE(b[me], 0);
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

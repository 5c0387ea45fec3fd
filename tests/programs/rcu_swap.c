// RCU in small: the writer swaps a pointer, waits until no reader is left, then frees the old record. On POWER, adding
// to the counter is no fence for what comes after it: the reader needs one (FENCED).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct record {
  int a, b;
};

struct record *_Atomic current;
atomic_int readers;

static void *reader(void *arg) {
  (void)arg;
  atomic_fetch_add(&readers, 1);
#ifdef FENCED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  struct record *seen = atomic_load_explicit(&current, memory_order_acquire);
  assert(seen->a == seen->b); // bug
  atomic_fetch_sub(&readers, 1);
  return NULL;
}

static void *writer(void *arg) {
  (void)arg;
  struct record *fresh = malloc(sizeof *fresh);
  fresh->a = fresh->b = 2;
  struct record *old = atomic_exchange(&current, fresh);
#ifndef NO_GRACE
  while (atomic_load(&readers) != 0)
    ;
#endif
  free(old);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  struct record *first = malloc(sizeof *first);
  first->a = first->b = 1;
  current = first;
#ifdef PERMUTE
  pthread_create(&c, NULL, reader, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&a, NULL, writer, NULL);
#else
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&c, NULL, reader, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  free(current);
  return 0;
}

// A hazard pointer in small: the reader announces what it reads, the writer frees only what nobody announced.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int *_Atomic shared;
int *volatile hazard;

static void *reader(void *arg) {
  int *mine;
  (void)arg;
  do {
    mine = atomic_load_explicit(&shared, memory_order_relaxed);
    hazard = mine;
#ifdef FENCED
    __sync_synchronize();
#endif
#ifdef UNSAFE
    break; // does not look again
#endif
  } while (mine != atomic_load_explicit(&shared, memory_order_relaxed));
  int value = *mine; // bug
  hazard = NULL;
  assert(value == 1 || value == 2);
  return NULL;
}

static void *writer(void *arg) {
  int *old = atomic_exchange(&shared, arg);
  if (hazard != old)
    free(old);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int *first = malloc(sizeof *first), *second = malloc(sizeof *second);
  *first = 1;
  *second = 2;
  shared = first;
  pthread_create(&a, NULL, reader, NULL);
  pthread_create(&b, NULL, writer, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

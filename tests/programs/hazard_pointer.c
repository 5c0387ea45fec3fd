// A hazard pointer in small: the reader announces what it reads, the writer frees only what nobody announced. TSO and
// PSO need the fence of level 1, POWER those of level 3 as well.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

int *_Atomic shared;
int *volatile hazard;

static void *reader(void *arg) {
  int *mine;
  (void)arg;
  do {
    mine = atomic_load_explicit(&shared, memory_order_relaxed);
    hazard = mine;
    FENCE(1);
#ifdef UNSAFE
    break; // does not look again
#endif
  } while (mine != atomic_load_explicit(&shared, memory_order_relaxed));
  FENCE(3);
  int value = *mine; // bug
  FENCE(3);
  hazard = NULL;
  assert(value == 1 || value == 2);
  return NULL;
}

static void *writer(void *arg) {
  int *old = atomic_exchange(&shared, arg);
  FENCE(3);
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

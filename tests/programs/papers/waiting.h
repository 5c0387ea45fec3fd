// How the programs of the papers' tables wait and fence. A wait is one load and an assumption, which is what the
// papers' tool makes of a loop that only waits; with LOOPS it is such a loop. FENCED: 1, the fences that TSO needs; 2,
// those that PSO needs as well; 3, those that POWER needs as well.
#pragma once
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL)                                                                                                   \
  do {                                                                                                                 \
    if (FENCED >= (LEVEL))                                                                                             \
      __sync_synchronize();                                                                                            \
  } while (0)

#ifdef LOOPS
#define AWAIT(CONDITION)                                                                                               \
  do                                                                                                                   \
    ;                                                                                                                  \
  while (!(CONDITION))
#else
extern void __VERIFIER_assume(int);
#define AWAIT(CONDITION) __VERIFIER_assume(CONDITION)
#endif

/// Two threads that run the same function with their numbers.
static inline int run_two(void *(*run)(void *)) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, run, (void *)1);
  pthread_create(&a, NULL, run, (void *)0);
#else
  pthread_create(&a, NULL, run, (void *)0);
  pthread_create(&b, NULL, run, (void *)1);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

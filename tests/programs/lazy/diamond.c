// Simplified Dekker with an "N-branching diamond" of its own between the accesses of each thread (figure 8 of "Lazy TSO
// Reachability"). Not robust; both threads get through under TSO. In the paper a diamond's cell is its thread's own, and
// one branch is taken. With SHARED a third thread stores every number to both cells, so that all branches are.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 50 // branches, at most 50
#endif
#if FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

static volatile int x, y, a, b;
static volatile int left, right;

#define BRANCH(cell, i)                                                                                                \
  case i:                                                                                                              \
    if (i < N)                                                                                                         \
      cell = (i + 1) % N;                                                                                              \
    break;
#define TEN(cell, i)                                                                                                   \
  BRANCH(cell, i##0) BRANCH(cell, i##1) BRANCH(cell, i##2) BRANCH(cell, i##3) BRANCH(cell, i##4) BRANCH(cell, i##5)    \
  BRANCH(cell, i##6) BRANCH(cell, i##7) BRANCH(cell, i##8) BRANCH(cell, i##9)
#define DIAMOND(cell)                                                                                                  \
  switch (cell) { TEN(cell, ) TEN(cell, 1) TEN(cell, 2) TEN(cell, 3) TEN(cell, 4) }

static void *first(void *arg) {
  x = 1;
  FENCE();
  DIAMOND(a)
  if (y == 0)
    left = 1;
  return arg;
}

static void *second(void *arg) {
  y = 1;
  FENCE();
  DIAMOND(b)
  if (x == 0)
    right = 1;
  return arg;
}

#ifdef SHARED
static void *third(void *arg) {
  for (int i = 0; i < N; i++)
    a = i;
  for (int i = 0; i < N; i++)
    b = i;
  return arg;
}
#endif

int main(void) {
  pthread_t s, t;
#ifdef SHARED
  pthread_t u;
  pthread_create(&u, NULL, third, NULL);
#endif
  pthread_create(&s, NULL, first, NULL);
  pthread_create(&t, NULL, second, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
  assert(!(left && right));
  return 0;
}

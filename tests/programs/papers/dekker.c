// Dekker's mutual exclusion. The outer loop does more than wait, and is followed up to the bound. A compiler that
// optimises tests its condition at the end of each iteration, and once before the first: ROTATED is that text.
#include "waiting.h"

static volatile int wants[2], turn, critical;

static inline void step_back(int me) {
  if (turn != me) {
    wants[me] = 0;
    AWAIT(turn == me);
    wants[me] = 1;
    FENCE(1);
  }
}

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  wants[me] = 1;
  FENCE(1);
#ifdef ROTATED
  if (wants[other])
    do
      step_back(me);
    while (wants[other]);
#else
  while (wants[other])
    step_back(me);
#endif
  critical = me;
  assert(critical == me);
  FENCE(2);
  turn = other;
  wants[me] = 0;
  return NULL;
}

int main(void) { return run_two(thread); }

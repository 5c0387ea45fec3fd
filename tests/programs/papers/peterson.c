// Peterson's mutual exclusion.
#include "waiting.h"

static volatile int wants[2], turn, critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  wants[me] = 1;
  FENCE(2);
  turn = other;
  FENCE(1);
  AWAIT(!wants[other] || turn == me);
  critical = me;
  assert(critical == me);
  FENCE(2);
  wants[me] = 0;
  return NULL;
}

int main(void) { return run_two(thread); }

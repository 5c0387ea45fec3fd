// Szymanski's mutual exclusion, in which both threads leave in the same way. Whoever waits may do so for ever where
// both come at the same time. EAGER: with the fence behind the first store as well, which no model needs.
#include "waiting.h"

// 0: outside, 1: wants in, 2: waits for others to come through the door, 3: in the doorway, 4: inside
static volatile int place[2], critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  place[me] = 1;
#ifdef EAGER
  FENCE(1);
#endif
  AWAIT(place[other] < 3);
  place[me] = 3;
  FENCE(1);
  if (place[other] == 1) {
    place[me] = 2;
    FENCE(1);
    AWAIT(place[other] == 4);
  }
  place[me] = 4;
  FENCE(1);
  AWAIT(place[other] < 2);
  critical = me;
  assert(critical == me);
  FENCE(2);
  AWAIT(place[other] < 2 || place[other] > 3);
  place[me] = 0;
  return NULL;
}

int main(void) { return run_two(thread); }

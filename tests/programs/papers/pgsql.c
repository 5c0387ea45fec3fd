// Two workers of PostgreSQL hand work to each other: the flag says that there is some, the latch wakes the worker.
// Stored in this order; if the latch can be seen before the flag (PSO, POWER), a worker wakes up with nothing to do.
// BOUNDED: a worker looks at its latch so many times, and for work so many times, and then gives up, which is no loop
// that only waits.
#include "waiting.h"

static volatile int latch[2] = {1, 0}, flag[2] = {1, 0};

/// False if there is no more hope.
static int wait_for_latch(int me) {
#ifdef BOUNDED
  for (int k = 0; k < BOUNDED; k++)
    if (latch[me])
      break;
  return latch[me];
#else
  AWAIT(latch[me]);
  return 1;
#endif
}

static void *worker(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
#ifdef BOUNDED
  for (int k = 0; k < BOUNDED; k++) {
#else
  for (;;) {
#endif
    if (!wait_for_latch(me))
      return NULL;
    FENCE(3);
    assert(!latch[me] || flag[me]);
    latch[me] = 0;
    FENCE(3);
    if (flag[me]) {
      flag[me] = 0;
      FENCE(3);
      flag[other] = 1;
      FENCE(2);
      latch[other] = 1;
    }
  }
  return NULL;
}

int main(void) { return run_two(worker); }

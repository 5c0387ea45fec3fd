// SB+10W: store buffering, then ten stores each in what a fence makes critical sections. With the fence there are 3
// executions; without it, on top of these, the ten stores of each thread in any order: C(20, 10).
#include "waiting.h"

static volatile int x[2], z;

static void *thread(void *arg) {
  int me = (int)(long)arg;
  x[me] = 1;
  FENCE(1);
  if (x[1 - me])
    return NULL;
  for (int k = 0; k < 10; k++)
    z = 1;
  return NULL;
}

int main(void) { return run_two(thread); }

// Lamport's fast mutual exclusion for two threads. first and last hold a thread's number plus one.
#include "waiting.h"

static volatile int busy[2], first, last, critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me, id = me + 1;
  for (;;) {
    busy[me] = 1;
    first = id;
    FENCE(1);
    if (last != 0) {
      busy[me] = 0;
      AWAIT(last == 0);
      continue;
    }
    last = id;
    FENCE(1);
    if (first == id)
      break; // nobody else came
    busy[me] = 0;
    AWAIT(!busy[other]);
    if (last == id)
      break;
    AWAIT(last == 0);
  }
  critical = id;
  assert(critical == id);
  FENCE(2);
  last = 0;
  busy[me] = 0;
  return NULL;
}

int main(void) { return run_two(thread); }

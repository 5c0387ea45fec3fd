// Double-checked locking: whoever sees the pointer does not lock. Both threads ask for the object again and again,
// without end, and read what it holds. If the pointer can be seen before what the object holds (PSO, POWER), they read
// something else.
#include "flag_lock.h"

struct singleton {
  volatile int made;
};

static struct singleton the_only_one;
static struct singleton *volatile instance;
static volatile int times;

static struct singleton *get(int me) {
  if (!instance) {
    flag_lock(me);
    if (!instance) {
      the_only_one.made = 1;
      FENCE(2);
      instance = &the_only_one;
      times++;
      assert(times == 1);
    }
    flag_unlock(me);
  }
  return instance;
}

static void *use(void *arg) {
  while (1) {
    struct singleton *found = get((int)(long)arg);
    assert(found && found->made == 1);
  }
  return NULL;
}

int main(void) { return run_two(use); }

// Parker of the Java virtual machine, as it was: park() takes a permit that is there without a fence, so that this
// store can be delayed past the look at what the permit was given for; it then takes the permit of the next unpark()
// along, and the thread waits in vain. There is nobody left to wake it up when the other thread is done.
#include "flag_lock.h"

static volatile int permit, asleep, wanted, done;

static int try_lock(int me) {
  announced[me] = 1;
  __sync_synchronize();
  if (announced[1 - me]) {
    announced[me] = 0;
    FENCE(3);
    return 0;
  }
  FENCE(3);
  return 1;
}

static void sleep_until_woken(int me) {
  asleep = 1;
  flag_unlock(me);
  int alone = done;
#if FENCED >= 3
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
  assert(!alone || !asleep);
  AWAIT(!asleep);
  flag_lock(me);
}

static void park(int me) {
  if (permit > 0) {
    permit = 0;
    FENCE(1);
    return;
  }
  if (!try_lock(me)) // to be called again
    return;
  if (permit > 0) {
    permit = 0;
    flag_unlock(me);
    return;
  }
  sleep_until_woken(me);
  permit = 0;
  flag_unlock(me);
}

static void unpark(int me) {
  flag_lock(me);
  int before = permit;
  permit = 1;
  flag_unlock(me);
  if (before < 1)
    asleep = 0;
}

static void *thread(void *arg) {
  int me = (int)(long)arg;
  if (me == 0) {
#ifdef ROTATED
    if (!wanted)
      do
        park(me);
      while (!wanted);
#else
    while (!wanted)
      park(me);
#endif
  } else {
    unpark(me); // for something else
    wanted = 1;
    __sync_synchronize();
    unpark(me);
    __sync_synchronize();
    done = 1;
  }
  return NULL;
}

int main(void) { return run_two(thread); }

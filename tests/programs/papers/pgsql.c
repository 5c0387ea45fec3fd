// Two workers of PostgreSQL hand work to each other: the flag says that there is some, the latch wakes the worker. Stored in
// this order; if the latch can be seen before the flag (PSO, POWER), a worker wakes up with nothing to do. BOUNDED: a worker that
// waits looks at its latch so many times and then gives up, which is no loop that only waits.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

static volatile int latch[2] = {1, 0}, flag[2] = {1, 0};

/// False if there is no more hope.
static int wait_for_latch(int me) {
#ifdef BOUNDED
  for (int k = 0; k < BOUNDED; k++)
    if (latch[me])
      return 1;
  return 0;
#else
  while (!latch[me])
    ;
  return 1;
#endif
}

static void *worker(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  while (1) {
    if (!wait_for_latch(me))
      return NULL;
    FENCE(3);
    assert(flag[me]);
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

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, worker, (void *)1);
  pthread_create(&a, NULL, worker, (void *)0);
#else
  pthread_create(&a, NULL, worker, (void *)0);
  pthread_create(&b, NULL, worker, (void *)1);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

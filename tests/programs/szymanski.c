// Szymanski's mutual exclusion: right under SC; TSO needs the fences of level 1, PSO that of level 2 as well.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

// 0: outside, 1: wants in, 2: waits for others to come through the door, 3: in the doorway, 4: inside
volatile int flag[2];
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  flag[me] = 1;
  FENCE(1);
  while (flag[other] >= 3)
    ;
  flag[me] = 3;
  FENCE(1);
  if (flag[other] == 1) {
    flag[me] = 2;
    FENCE(1);
    while (flag[other] != 4)
      ;
  }
  flag[me] = 4;
  FENCE(1);
  if (me == 1)
    while (flag[other] >= 2)
      ;
  critical = me;
  assert(critical == me);
  if (me == 0) {
    int seen;
    do
      seen = flag[other];
    while (seen == 2 || seen == 3);
  }
  FENCE(2);
  flag[me] = 0;
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_create(&a, NULL, thread, (void *)0);
#else
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// Dekker's mutual exclusion: right under SC; TSO needs the fences of level 1, PSO those of level 2 as well.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

volatile int flag[2], turn;
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  flag[me] = 1;
  FENCE(1);
  while (flag[other]) {
    if (turn == me) {
      while (flag[other]) // the other one steps back
        ;
    } else {
      flag[me] = 0;
      while (turn != me)
        ;
      flag[me] = 1;
      FENCE(1);
    }
  }
  critical = me;
  assert(critical == me);
  FENCE(2);
  turn = other;
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

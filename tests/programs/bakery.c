// Lamport's bakery: right under SC. TSO needs the fences of level 1, PSO those of level 2 as well, POWER that of 3.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

volatile int choosing[2], number[2];
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me, theirs;
  choosing[me] = 1;
  FENCE(1);
  int mine = number[other] + 1;
  number[me] = mine;
  FENCE(2);
  choosing[me] = 0;
  FENCE(1);
  while (choosing[other])
    ;
  FENCE(3);
  do theirs = number[other];
  while (theirs != 0 && (theirs < mine || (theirs == mine && other < me)));
  critical = me;
  assert(critical == me);
  FENCE(2);
  number[me] = 0;
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

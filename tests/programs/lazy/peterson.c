// Peterson's mutual exclusion, taken and left for ever. Not robust; the assertion fails under TSO.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif

static volatile int flag[2], turn;
static volatile int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  for (;;) {
    flag[me] = 1;
    turn = other;
#if FENCED
    __sync_synchronize();
#endif
    while (flag[other] && turn == other)
      ;
    critical = me;
    assert(critical == me);
    flag[me] = 0;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

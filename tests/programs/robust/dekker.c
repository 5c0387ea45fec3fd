// Dekker's mutual exclusion. Each request must be visible before the other one's flag is looked at: TSO breaks that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifdef FENCED
#define FENCE(ORDER) atomic_thread_fence(ORDER)
#else
#define FENCE(ORDER)
#endif

volatile int wants[2], turn;
int counter;

static void lock(int me) {
  int other = 1 - me;
  wants[me] = 1;
  FENCE(memory_order_seq_cst);
  while (wants[other]) {
    if (turn == me) {
      while (wants[other]) // the other one steps back
        ;
    } else {
      wants[me] = 0;
      while (turn != me)
        ;
      wants[me] = 1;
      FENCE(memory_order_seq_cst);
    }
  }
}

static void unlock(int me) {
  turn = 1 - me;
  FENCE(memory_order_release); // nobody gets in for seeing the turn alone
  wants[me] = 0;
}

static void *thread(void *arg) {
  int me = (int)(long)arg;
  for (int i = 0; i < ROUNDS; i++) {
    lock(me);
    counter++;
    unlock(me);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2 * ROUNDS);
  return 0;
}

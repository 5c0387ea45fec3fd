// Lamport's bakery. Who takes a number must show it before looking at those of the others: TSO breaks that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef FENCED
#define FENCE(ORDER) atomic_thread_fence(ORDER)
#else
#define FENCE(ORDER)
#endif

volatile int choosing[N], number[N];
int counter;

static void lock(int me) {
  choosing[me] = 1;
  FENCE(memory_order_seq_cst);
  int mine = 0;
  for (int i = 0; i < N; i++) {
    int theirs = i == me ? 0 : number[i];
    if (theirs > mine)
      mine = theirs;
  }
  number[me] = ++mine;
  FENCE(memory_order_release);
  choosing[me] = 0;
  FENCE(memory_order_seq_cst);
  for (int i = 0; i < N; i++) {
    if (i == me)
      continue;
    while (choosing[i])
      ;
    int theirs;
    do
      theirs = number[i];
    while (theirs != 0 && (theirs < mine || (theirs == mine && i < me)));
  }
}

static void unlock(int me) {
  FENCE(memory_order_release);
  number[me] = 0;
}

static void *thread(void *arg) {
  int me = (int)(long)arg;
  lock(me);
  counter++;
  unlock(me);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, thread, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}

// Lamport's fast mutual exclusion: right under SC; TSO needs the fences of level 1, PSO those of level 2 as well.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL) do { if (FENCED >= (LEVEL)) __sync_synchronize(); } while (0)

volatile int b[2], x, y; // x and y hold a thread's number plus one, 0 for nobody
int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, other = 1 - me, id = me + 1;
  for (;;) {
    b[me] = 1;
    FENCE(2);
    x = id;
    FENCE(1);
    if (y != 0) {
      b[me] = 0;
      while (y != 0)
        ;
      continue;
    }
    y = id;
    FENCE(1);
    if (x == id)
      break; // the fast path: nobody else came
    b[me] = 0;
    while (b[other])
      ;
    if (y == id)
      break;
    while (y != 0)
      ;
  }
  critical = id;
  assert(critical == id);
  FENCE(2);
  y = 0;
  FENCE(2);
  b[me] = 0;
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

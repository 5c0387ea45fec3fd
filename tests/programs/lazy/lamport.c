// Lamport's fast mutual exclusion for N threads, taken and left for ever. Not robust; the assertion fails under TSO.
// Figure 7 of "Lazy TSO Reachability" shows the threads without b: with FIGURE7 nobody waits for it. Then the assertion
// fails under SC already.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef FENCED
#define FENCED 0
#endif
#if FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

static volatile int b[N], x, y; // x and y hold a thread's number plus one, 0 for nobody
static volatile int critical;

static void *thread(void *arg) {
  int me = (int)(long)arg, id = me + 1;
  for (;;) {
  start:
    b[me] = 1;
    x = id;
    FENCE();
    if (y != 0) {
      b[me] = 0;
      while (y != 0)
        ;
      goto start;
    }
    y = id;
    FENCE();
    if (x != id) {
      b[me] = 0;
      FENCE();
#ifndef FIGURE7
      for (int other = 0; other < N; other++)
        while (b[other])
          ;
#endif
      if (y != id) {
        while (y != 0)
          ;
        goto start;
      }
    }
    critical = id;
    assert(critical == id);
    y = 0;
    b[me] = 0;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, thread, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

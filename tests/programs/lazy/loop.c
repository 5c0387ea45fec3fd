// One thread stores 0 to N - 1 to x, over and over, as long as y is 0; the other sets y and sees 1 and then 0 in x
// (figure 9 of "Lazy TSO Reachability"). Under SC the look at y lies between the two. Not robust; under TSO all N stores
// of a round can be delayed past it.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 20
#endif
#if FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

static volatile int x, y;

static void *storing(void *arg) {
  do {
    for (int i = 0; i < N; i++)
      x = i;
    FENCE();
  } while (y == 0);
  return arg;
}

static void *looking(void *arg) {
  y = 1;
  FENCE();
  int before = x;
  int after = x;
  assert(!(before == 1 && after == 0));
  return arg;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, NULL, storing, NULL);
  pthread_create(&t, NULL, looking, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
  return 0;
}

// Two threads store 1 minus what they last loaded, for as long as that is not 2 (figure 12 of "Lazy TSO Reachability"):
// it never is. Safe, but not robust however much is delayed: the paper's procedure never ends.
#include <assert.h>
#include <pthread.h>

static volatile int x, y;

static void *first(void *arg) {
  int r = 0;
  do {
    x = 1 - r;
    r = y;
  } while (r != 2);
  assert(!"the loop was left");
  return arg;
}

static void *second(void *arg) {
  int r = 0;
  do {
    y = 1 - r;
    r = x;
  } while (r != 2);
  assert(!"the loop was left");
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

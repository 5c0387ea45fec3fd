// exit() ends the process whatever other threads do, and runs the atexit functions and constructors in order.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int order = 0;

__attribute__((constructor)) static void early(void) { order = 1; }

static void last(void) { assert(order == 3); }
static void secondLast(void) { assert(order++ == 2); }

static void *thread(void *arg) { return arg; }

int main(void) {
  pthread_t a;
  assert(order++ == 1);
  atexit(last);
  atexit(secondLast);
  pthread_create(&a, NULL, thread, NULL);
  pthread_join(a, NULL);
  exit(0);
}

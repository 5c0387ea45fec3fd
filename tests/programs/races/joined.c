// A result is read after the join. WRONG: before it.
#include <pthread.h>
#include <stdatomic.h>

static int result;

static void *compute(void *arg) {
  result = 7;
  return arg;
}

int main(void) {
  pthread_t thread;
  result = 1;
  pthread_create(&thread, NULL, compute, NULL);
#ifdef WRONG
  int seen = result;
  pthread_join(thread, NULL);
#else
  pthread_join(thread, NULL);
  int seen = result;
#endif
  return seen == 0;
}

// Two threads add into each other's variable five times; neither can pass the twelfth Fibonacci number, 144. With a lower BOUND
// the assertion fails in few executions.
#include <assert.h>
#include <pthread.h>

#ifndef BOUND
#define BOUND 144
#endif

volatile int i = 1, j = 1;

static void *addToI(void *arg) {
  (void)arg;
  for (int k = 0; k < 5; k++)
    i += j;
  return NULL;
}

static void *addToJ(void *arg) {
  (void)arg;
  for (int k = 0; k < 5; k++)
    j += i;
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, addToJ, NULL);
  pthread_create(&a, NULL, addToI, NULL);
#else
  pthread_create(&a, NULL, addToI, NULL);
  pthread_create(&b, NULL, addToJ, NULL);
#endif
#ifdef JOIN
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#endif
  assert(!(i > BOUND || j > BOUND));
  return 0;
}

// Both increments count, unless (-DSPLIT) one of them is lost. The other thread is in count_other.c.
#include "count.h"

#include <assert.h>
#include <pthread.h>

atomic_int count;

static void *work(void *arg) {
  increment();
  return arg;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, other, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(count == 2);
  return 0;
}

// Store buffering: the threads are in sb_left.c and sb_right.c. With -DFENCE both have a fence.
// picket: volatile=relaxed
#include "sb.h"

#include <assert.h>
#include <pthread.h>

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
  return 0;
}

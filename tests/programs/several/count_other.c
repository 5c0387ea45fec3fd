// The other thread of count.c. A function of the same name as one of that file is another one.
#include "count.h"

static void work(void) { increment(); }

void *other(void *arg) {
  work();
  return arg;
}

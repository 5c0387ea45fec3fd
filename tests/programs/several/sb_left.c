// One of the two threads of sb.c. What is static here has the names of what is static there.
#include "sb.h"

volatile int x;
int a;
static int used;

static void step(void) {
  used++;
  x = 1;
}

void *left(void *arg) {
  step();
  BARRIER();
  a = y;
  return arg;
}

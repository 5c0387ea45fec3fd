// One of the two threads of sb.c. What is static here has the names of what is static there.
#include "sb.h"

volatile int y;
int b;
static int used;

static void step(void) {
  used++;
  y = 1;
}

void *right(void *arg) {
  step();
  BARRIER();
  b = x;
  return arg;
}

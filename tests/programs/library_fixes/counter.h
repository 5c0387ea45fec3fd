// A statistics counter, which orders nothing and need not. The bug is in the test, which takes it for a flag of its own.
#include <stdatomic.h>

struct counter {
  atomic_int value;
};

static void counter_add(struct counter *c, int n) { atomic_fetch_add_explicit(&c->value, n, memory_order_acq_rel); }
static int counter_get(struct counter *c) { return atomic_load_explicit(&c->value, memory_order_acquire); }

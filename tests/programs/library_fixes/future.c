// A value that one thread sets and others wait for. The bug: the waiter does not acquire it.
#include "vendor/pr.h"

struct future {
  unsigned ready;
  int value;
};

void future_set(struct future *f, int value) {
  f->value = value;
  pr_fence_store();
  pr_store_uint(&f->ready, 1);
}

int future_wait(struct future *f) {
  while (pr_load_uint(&f->ready) == 0)
    ;
  return f->value;
}

int future_is_ready(struct future *f) { return pr_load_uint(&f->ready) != 0; }

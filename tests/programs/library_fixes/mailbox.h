// A mailbox whose accesses go through functions of its own, each with one caller. The bug: the flag is stored relaxed.
#include <stdatomic.h>

struct mailbox {
  int message;
  atomic_int full;
};

static inline void mailbox_store_flag(atomic_int *flag, int value) {
  atomic_store_explicit(flag, value, memory_order_relaxed);
}
static inline int mailbox_load_flag(atomic_int *flag) { return atomic_load_explicit(flag, memory_order_acquire); }

static void mailbox_send(struct mailbox *m, int message) {
  m->message = message;
  mailbox_store_flag(&m->full, 1);
}

static int mailbox_receive(struct mailbox *m) {
  while (!mailbox_load_flag(&m->full))
    ;
  return m->message;
}

// A CLH lock on wrapped atomics. The bug: the thread waits for its predecessor with relaxed loads.
#include "vendor/vatomic.h"

typedef struct clh_qnode {
  vatomic32_t locked;
} clh_qnode_t;

typedef struct {
  clh_qnode_t *_Atomic tail;
  clh_qnode_t initial;
} clhlock_t;

static void clhlock_init(clhlock_t *l) {
  vatomic32_write_rlx(&l->initial.locked, 0);
  __c11_atomic_store(&l->tail, &l->initial, __ATOMIC_RELAXED);
}

static void clhlock_acquire(clhlock_t *l, clh_qnode_t *node) {
  vatomic32_write_rlx(&node->locked, 1);
  clh_qnode_t *pred = __c11_atomic_exchange(&l->tail, node, __ATOMIC_ACQ_REL);
  while (vatomic32_read_rlx(&pred->locked))
    ;
}

static void clhlock_release(clh_qnode_t *node) { vatomic32_write_rel(&node->locked, 0); }

// The same ring on wrapped atomics. The bug: the producer publishes with vatomic32_write_rlx.
#include "vendor/vatomic.h"
#include <stdbool.h>

#define VRING_SLOTS 2
typedef struct {
  int slots[VRING_SLOTS];
  vatomic32_t head, tail;
} vring_t;

static bool vring_enq(vring_t *r, int value) {
  uint32_t tail = vatomic32_read_rlx(&r->tail);
  if (tail - vatomic32_read_acq(&r->head) == VRING_SLOTS)
    return false;
  r->slots[tail % VRING_SLOTS] = value;
  vatomic32_write_rlx(&r->tail, tail + 1);
  return true;
}

static bool vring_deq(vring_t *r, int *value) {
  uint32_t head = vatomic32_read_rlx(&r->head);
  if (vatomic32_read_acq(&r->tail) == head)
    return false;
  *value = r->slots[head % VRING_SLOTS];
  vatomic32_write_rel(&r->head, head + 1);
  return true;
}

static void vring_init(vring_t *r) {
  vatomic32_write_rlx(&r->head, 0);
  vatomic32_write_rlx(&r->tail, 0);
}

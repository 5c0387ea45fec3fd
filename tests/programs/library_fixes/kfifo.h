// A queue of one producer and one consumer in the style of a kernel. The bug: the barrier that belongs in front of the
// store to `in` is missing.
#include "vendor/barrier.h"

#define KFIFO_SIZE 2
struct kfifo {
  int data[KFIFO_SIZE];
  unsigned in, out;
};

static unsigned kfifo_put(struct kfifo *fifo, int value) {
  unsigned in = fifo->in;
  if (in - smp_load_acquire(&fifo->out) == KFIFO_SIZE)
    return 0;
  fifo->data[in % KFIFO_SIZE] = value;
  WRITE_ONCE(fifo->in, in + 1);
  return 1;
}

static unsigned kfifo_get(struct kfifo *fifo, int *value) {
  unsigned out = fifo->out;
  if (READ_ONCE(fifo->in) == out)
    return 0;
  smp_mb();
  *value = fifo->data[out % KFIFO_SIZE];
  smp_store_release(&fifo->out, out + 1);
  return 1;
}

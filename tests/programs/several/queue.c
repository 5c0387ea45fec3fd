// The queue of queue.h. With -DWEAK the consumer may see the new tail before the value.
#include "queue.h"

#include <stdatomic.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

enum { Room = 2 };
static int slots[Room];
static atomic_uint head, tail;

int put(int value) {
  unsigned end = atomic_load_explicit(&tail, memory_order_relaxed);
  if (end - atomic_load_explicit(&head, memory_order_acquire) == Room)
    return 0;
  slots[end % Room] = value;
  atomic_store_explicit(&tail, end + 1, PUBLISH);
  return 1;
}

int take(int *value) {
  unsigned begin = atomic_load_explicit(&head, memory_order_relaxed);
  if (begin == atomic_load_explicit(&tail, memory_order_acquire))
    return 0;
  *value = slots[begin % Room];
  atomic_store_explicit(&head, begin + 1, PUBLISH);
  return 1;
}

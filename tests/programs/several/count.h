// A counter that threads of two files increment, by a function of this header.
#ifndef COUNT_H
#define COUNT_H

#include <stdatomic.h>

extern atomic_int count;

inline void increment(void) {
#ifdef SPLIT
  atomic_store_explicit(&count, atomic_load_explicit(&count, memory_order_relaxed) + 1, memory_order_relaxed);
#else
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
#endif
}

void *other(void *);

#endif

// Atomics in the style of a packet-processing toolkit: C11 under other names.
#ifndef RTE_H
#define RTE_H
#include <stdatomic.h>
#define RTE_ATOMIC(type) _Atomic(type)
#define rte_memory_order_relaxed memory_order_relaxed
#define rte_memory_order_acquire memory_order_acquire
#define rte_memory_order_release memory_order_release
#define rte_memory_order_acq_rel memory_order_acq_rel
#define rte_memory_order_seq_cst memory_order_seq_cst
#define rte_atomic_load_explicit(ptr, order) atomic_load_explicit(ptr, order)
#define rte_atomic_store_explicit(ptr, val, order) atomic_store_explicit(ptr, val, order)
#define rte_atomic_fetch_add_explicit(ptr, val, order) atomic_fetch_add_explicit(ptr, val, order)
#define rte_atomic_thread_fence(order) atomic_thread_fence(order)
#endif

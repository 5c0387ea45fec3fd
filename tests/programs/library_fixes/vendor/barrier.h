// Accesses and barriers in the style of an operating system's kernel. On x86, smp_wmb is for the compiler only.
#ifndef BARRIER_H
#define BARRIER_H
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define barrier() __asm__ __volatile__("" ::: "memory")
#ifdef __x86_64__
#define smp_wmb() barrier()
#define smp_rmb() barrier()
#else
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

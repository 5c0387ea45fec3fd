// Atomics in the style of a library with relaxed primitives and fences of its own.
#ifndef PR_H
#define PR_H
#define PR_LOAD(S, T)                                                                                                  \
  static inline T pr_load_##S(T const *target) { return __atomic_load_n(target, __ATOMIC_RELAXED); }
#define PR_STORE(S, T)                                                                                                 \
  static inline void pr_store_##S(T *target, T value) { __atomic_store_n(target, value, __ATOMIC_RELAXED); }
PR_LOAD(uint, unsigned)
PR_STORE(uint, unsigned)
PR_LOAD(ptr, void *)
PR_STORE(ptr, void *)
static inline unsigned pr_faa_uint(unsigned *target, unsigned delta) {
  return __atomic_fetch_add(target, delta, __ATOMIC_RELAXED);
}
static inline void pr_fence_store(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }
static inline void pr_fence_load(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
static inline void pr_fence_memory(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

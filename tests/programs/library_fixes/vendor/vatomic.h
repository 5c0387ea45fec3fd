// Atomics in the style of a library that wraps every access in a function named after its order.
#ifndef VATOMIC_H
#define VATOMIC_H
#include <stdint.h>

typedef struct vatomic32_s {
  uint32_t _v;
} vatomic32_t;

static inline uint32_t vatomic32_read(const vatomic32_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_SEQ_CST); }
static inline uint32_t vatomic32_read_acq(const vatomic32_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_ACQUIRE); }
static inline uint32_t vatomic32_read_rlx(const vatomic32_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_RELAXED); }
static inline void vatomic32_write(vatomic32_t *a, uint32_t v) { __atomic_store_n(&a->_v, v, __ATOMIC_SEQ_CST); }
static inline void vatomic32_write_rel(vatomic32_t *a, uint32_t v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELEASE); }
static inline void vatomic32_write_rlx(vatomic32_t *a, uint32_t v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELAXED); }
static inline uint32_t vatomic32_xchg(vatomic32_t *a, uint32_t v) {
  return __atomic_exchange_n(&a->_v, v, __ATOMIC_SEQ_CST);
}
static inline uint32_t vatomic32_xchg_acq(vatomic32_t *a, uint32_t v) {
  return __atomic_exchange_n(&a->_v, v, __ATOMIC_ACQUIRE);
}
static inline uint32_t vatomic32_xchg_rlx(vatomic32_t *a, uint32_t v) {
  return __atomic_exchange_n(&a->_v, v, __ATOMIC_RELAXED);
}
static inline uint32_t vatomic32_get_add_rlx(vatomic32_t *a, uint32_t v) {
  return __atomic_fetch_add(&a->_v, v, __ATOMIC_RELAXED);
}

typedef struct vatomicptr_s {
  void *_v;
} vatomicptr_t;

static inline void *vatomicptr_read_acq(const vatomicptr_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_ACQUIRE); }
static inline void *vatomicptr_read_rlx(const vatomicptr_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_RELAXED); }
static inline void vatomicptr_write_rel(vatomicptr_t *a, void *v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELEASE); }
static inline void vatomicptr_write_rlx(vatomicptr_t *a, void *v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELAXED); }
#endif

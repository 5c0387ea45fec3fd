// A counting semaphore. The bug: post is relaxed.
#ifndef PICKET_TEST_SEMAPHORE
#define PICKET_TEST_SEMAPHORE
#include "vendor/vatomic.h"

typedef struct {
  vatomic32_t count;
} semaphore_t;

static void semaphore_post(semaphore_t *s, uint32_t n) { vatomic32_get_add_rlx(&s->count, n); }

static void semaphore_wait(semaphore_t *s) {
  for (;;) {
    uint32_t count = vatomic32_read_acq(&s->count);
    if (count > 0 &&
        __atomic_compare_exchange_n(&s->count._v, &count, count - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
  }
}

static uint32_t semaphore_reserve(semaphore_t *s) { return vatomic32_get_add_rlx(&s->count, 0); }
#endif

// __atomic builtins of 1, 2, 4 and 8 bytes; the threads meet on the 2-byte one only.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

uint8_t byte;
uint16_t half = 0xfffe;
uint64_t word;

static void *first(void *arg) {
  (void)arg;
  __atomic_store_n(&byte, 200, __ATOMIC_RELAXED);
  assert(__atomic_add_fetch(&byte, 100, __ATOMIC_ACQ_REL) == 44);
  __atomic_fetch_add(&half, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static void *second(void *arg) {
  (void)arg;
  uint64_t old = 0;
  assert(__atomic_compare_exchange_n(&word, &old, 1ull << 40, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  assert(__atomic_exchange_n(&word, 7, __ATOMIC_ACQUIRE) == 1ull << 40);
  __atomic_fetch_add(&half, 2, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(half == 1 && byte == 44 && word == 7);
  return 0;
}

// Atomic operations on 16 bytes, by all the names they have: the carry goes from one half to the other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 wide;
#define WIDE(high, low) ((wide)(high) << 64 | (wide)(low))

_Atomic wide counter = UINT64_MAX - 1;
wide word;
_Atomic __int128 number = -5;

static void *add(void *arg) {
#ifdef SYNC
  __sync_fetch_and_add((wide *)&counter, 1);
#else
  atomic_fetch_add(&counter, 1);
#endif
  return arg;
}

static void builtins(void) {
  word = WIDE(1, 2);
  assert(__atomic_load_n(&word, __ATOMIC_ACQUIRE) == WIDE(1, 2));
  __atomic_store_n(&word, WIDE(6, 3), __ATOMIC_RELEASE);
  assert(__atomic_exchange_n(&word, WIDE(5, 7), __ATOMIC_SEQ_CST) == WIDE(6, 3));
  wide expected = WIDE(5, 8);
  assert(!__atomic_compare_exchange_n(&word, &expected, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  assert(expected == WIDE(5, 7));
  assert(__atomic_compare_exchange_n(&word, &expected, WIDE(5, 8), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  assert(__atomic_fetch_or(&word, WIDE(8, 1), __ATOMIC_RELAXED) == WIDE(5, 8));
  assert(__atomic_fetch_and(&word, WIDE(12, 9), __ATOMIC_RELAXED) == WIDE(13, 9));
  assert(__atomic_fetch_xor(&word, WIDE(4, 8), __ATOMIC_RELAXED) == WIDE(12, 9));
  assert(__atomic_sub_fetch(&word, 2, __ATOMIC_RELAXED) == WIDE(7, UINT64_MAX));
  assert(__atomic_nand_fetch(&word, WIDE(3, 1), __ATOMIC_RELAXED) == ~WIDE(3, 1));
  assert(!__sync_bool_compare_and_swap(&word, WIDE(3, 1), 0));
  assert(__sync_val_compare_and_swap(&word, ~WIDE(3, 1), WIDE(2, 1)) == ~WIDE(3, 1));
  assert(__sync_lock_test_and_set(&word, WIDE(9, 9)) == WIDE(2, 1));
  assert(word == WIDE(9, 9));
}

static void numbers(void) {
  assert(number-- == -5);
  assert(__c11_atomic_fetch_max(&number, 3, memory_order_seq_cst) == -6);
  assert(__c11_atomic_fetch_min(&number, -1, memory_order_seq_cst) == 3);
  number += 3;
  assert(atomic_load(&number) == 2);
  assert(atomic_is_lock_free(&number));
}

int main(void) {
  pthread_t a, b;
  builtins();
  numbers();
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  builtins();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == WIDE(1, 0));
  return 0;
}

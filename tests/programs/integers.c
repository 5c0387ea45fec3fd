// Integers of all widths, bit fields, unions, shifts and switches in threads that share one atomic sum.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct fields {
  unsigned low : 3, middle : 7;
  int high : 6;
};

union both {
  uint32_t word;
  uint8_t bytes[4];
};

_Atomic int64_t sum;

static void *narrow(void *arg) {
  unsigned long given = 200;
  struct fields f = {given + 1, given, -3};
  union both u = {.word = 0x01020304};
  (void)arg;
  assert(f.low == 1 && f.middle == 72 && f.high == -3);
  assert(u.bytes[0] == 4 && u.bytes[3] == 1);
  int8_t small = (int8_t)200;
  assert(small == -56 && (uint16_t)small == 0xffc8 && small >> 3 == -7);
  sum += small;
  return NULL;
}

static void *wide(void *arg) {
  unsigned __int128 big = (unsigned __int128)UINT64_MAX * UINT64_MAX;
  (void)arg;
  assert((uint64_t)(big >> 64) == UINT64_MAX - 1 && (uint64_t)big == 1);
  assert((uint64_t)(big % 1000000007u) == 114944269u);
  switch ((int)(big >> 127)) {
  case 0:
    assert(0);
  case 1:
    sum += INT64_C(1) << 40;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, narrow, NULL);
  pthread_create(&b, NULL, wide, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(sum == (INT64_C(1) << 40) - 56);
  return 0;
}

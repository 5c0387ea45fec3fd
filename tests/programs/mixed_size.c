// One thread writes a word, another reads it byte by byte: it may see a part of each value, in little-endian order.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
  volatile uint16_t word;
  volatile uint8_t bytes[2];
} shared;

static void *writer(void *arg) {
  (void)arg;
  shared.word = 0x0201;
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  int low = shared.bytes[0];
  int high = shared.bytes[1];
  assert((low == 0 || low == 1) && (high == 0 || high == 2));
  assert(!(low == 1 && high == 0)); // the word lands in one piece
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

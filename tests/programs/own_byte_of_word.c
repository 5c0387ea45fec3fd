// A word whose first byte another thread reads, and whose last byte its writer stores once more: the second store must not
// reach memory before the first.
#include <assert.h>
#include <pthread.h>

static union {
  volatile int word;
  volatile char byte[4];
} v;
static volatile int seen, again;

static void *writing(void *arg) {
  v.word = 0x01010101;
  v.byte[3] = 5;
  again = v.byte[3];
  assert(again == 5);
  return arg;
}

static void *reading(void *arg) {
  seen = v.byte[0];
  return arg;
}

int main(void) {
  pthread_t w, r;
  pthread_create(&w, NULL, writing, NULL);
  pthread_create(&r, NULL, reading, NULL);
  pthread_join(w, NULL);
  pthread_join(r, NULL);
  assert(v.byte[3] == 5);
  return 0;
}

// Load buffering: no in-order model lets both threads read the other's later store.
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void *left(void *arg) {
  (void)arg;
  int seen = x;
  y = 1;
  return (void *)(long)seen;
}

static void *right(void *arg) {
  (void)arg;
  int seen = y;
  x = 1;
  return (void *)(long)seen;
}

int main(void) {
  pthread_t a, b;
  void *seenX, *seenY;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, &seenX);
  pthread_join(b, &seenY);
  assert(!(seenX && seenY));
  return 0;
}

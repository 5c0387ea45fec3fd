// K rounds of store buffering: store the round number to the own variable, load the other's.
#include <pthread.h>

#ifndef K
#define K 5
#endif

volatile int x, y;

static void *left(void *arg) {
  (void)arg;
  for (int round = 1; round <= K; round++) {
    x = round;
    (void)y;
  }
  return NULL;
}

static void *right(void *arg) {
  (void)arg;
  for (int round = 1; round <= K; round++) {
    y = round;
    (void)x;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, right, NULL);
  pthread_create(&a, NULL, left, NULL);
#else
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

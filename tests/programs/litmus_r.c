// The litmus test R: a store overtaken by a later load of another variable (TSO and PSO).
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void *left(void *arg) {
  (void)arg;
  x = 1;
  y = 1;
  return NULL;
}

static void *right(void *arg) {
  (void)arg;
  y = 2;
  return (void *)(long)x;
}

int main(void) {
  pthread_t a, b;
  void *seen;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, NULL);
  pthread_join(b, &seen);
  assert(!(y == 2 && !seen));
  return 0;
}

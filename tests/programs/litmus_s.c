// The litmus test S: a store overtaken by a later store that the other thread answers (PSO).
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void *left(void *arg) {
  (void)arg;
  x = 2;
  y = 1;
  return NULL;
}

static void *right(void *arg) {
  (void)arg;
  int seen = y;
  x = 1;
  return (void *)(long)seen;
}

int main(void) {
  pthread_t a, b;
  void *seen;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, NULL);
  pthread_join(b, &seen);
  assert(!(seen && x == 2));
  return 0;
}

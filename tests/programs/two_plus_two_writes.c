// 2+2W: two threads store to x and y in opposite order; both first stores win only if stores can swap (PSO).
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void *left(void *arg) {
  (void)arg;
  x = 1;
  y = 2;
  return NULL;
}

static void *right(void *arg) {
  (void)arg;
  y = 1;
  x = 2;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(!(x == 1 && y == 1));
  return 0;
}

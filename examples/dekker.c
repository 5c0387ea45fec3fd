// Dekker's algorithm: each thread sets its flag, then reads the other thread's flag; only one thread may enter.
#include <assert.h>
#include <pthread.h>

volatile int flag0, flag1;
volatile int turn;
int inside;

void *left(void *arg) {
  (void)arg;
  flag0 = 1;
  while (flag1) {
    if (turn != 0) {
      flag0 = 0;
      while (turn != 0)
        ;
      flag0 = 1;
    }
  }
  inside = 1;
  assert(inside == 1);
  turn = 1;
  flag0 = 0;
  return 0;
}

void *right(void *arg) {
  (void)arg;
  flag1 = 1;
  while (flag0) {
    if (turn != 1) {
      flag1 = 0;
      while (turn != 1)
        ;
      flag1 = 1;
    }
  }
  inside = 2;
  assert(inside == 2);
  turn = 0;
  flag1 = 0;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, left, 0);
  pthread_create(&b, 0, right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}

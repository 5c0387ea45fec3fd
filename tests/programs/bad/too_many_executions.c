// More executions than anybody can wait for, of a program that ends: 6 threads, 8 stores each.
#include <pthread.h>
_Atomic int x, y;
void *f(void *p) {
  for (int i = 0; i < 8; ++i) {
    x = i;
    if (y == 9)
      return p;
    y = i;
  }
  return 0;
}
int main(void) {
  pthread_t t[6];
  for (int i = 0; i < 6; ++i)
    pthread_create(&t[i], 0, f, 0);
}

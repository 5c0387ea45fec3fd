// Recursion that never ends: the stack overflows in 'down'.
#include <pthread.h>

int depth;

static int down(int n) {
  depth = n;
  return down(n + 1) + depth;
}

static void *thread(void *arg) {
  (void)arg;
  return (void *)(long)down(0);
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, thread, NULL);
  pthread_join(a, NULL);
  return 0;
}

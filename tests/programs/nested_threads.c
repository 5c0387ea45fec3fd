// Threads that create threads: the grandchildren's stores race with each other, 3! orders.
#include <assert.h>
#include <pthread.h>

volatile int x;

static void *leaf(void *arg) {
  x = (int)(long)arg;
  return NULL;
}

static void *parent(void *arg) {
  pthread_t child;
  pthread_create(&child, NULL, leaf, arg);
  pthread_join(child, NULL);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, parent, (void *)1);
  pthread_create(&b, NULL, parent, (void *)2);
  pthread_create(&c, NULL, leaf, (void *)3);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  assert(x >= 1 && x <= 3);
  return 0;
}

// A thread reads its own store beside a foreign one: forwarding from the buffer adds no execution (3 everywhere).
#include <pthread.h>

volatile int x;

static void *storeAndLoad(void *arg) {
  (void)arg;
  x = 1;
  return (void *)(long)x;
}

static void *store(void *arg) {
  (void)arg;
  x = 2;
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, store, NULL);
  pthread_create(&a, NULL, storeAndLoad, NULL);
#else
  pthread_create(&a, NULL, storeAndLoad, NULL);
  pthread_create(&b, NULL, store, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

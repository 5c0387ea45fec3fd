// Store buffering: each thread raises its flag and looks at the other's; under TSO both may see 0.
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void fence(void) {
#ifdef FENCED
  __sync_synchronize();
#endif
}

static void *left(void *arg) {
  (void)arg;
  x = 1;
  fence();
  return (void *)(long)y;
}

static void *right(void *arg) {
  (void)arg;
  y = 1;
  fence();
  return (void *)(long)x;
}

int main(void) {
  pthread_t a, b;
  void *seenY, *seenX;
#ifdef PERMUTE
  pthread_create(&b, NULL, right, NULL);
  pthread_create(&a, NULL, left, NULL);
#else
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
#endif
  pthread_join(a, &seenY);
  pthread_join(b, &seenX);
#ifdef CHECK
  assert(seenX || seenY);
#endif
  return 0;
}

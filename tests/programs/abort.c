// abort() is a bug: a thread gives up when it sees the two variables apart.
#include <pthread.h>
#include <stdlib.h>

volatile int x, y;

static void *writer(void *arg) {
  (void)arg;
  x = 1;
  y = 1;
  return NULL;
}

static void *checker(void *arg) {
  (void)arg;
  int seenX = x;
  if (seenX != y)
    abort(); // bug
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, checker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// Coherence of read-read: a thread that saw the new value never sees the old one again.
#include <assert.h>
#include <pthread.h>

volatile int x;

static void *writer(void *arg) {
  (void)arg;
  x = 1;
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  int first = x, second = x;
  assert(first <= second);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

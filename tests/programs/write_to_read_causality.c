// Write-to-read causality: what a thread read before it stored is visible to whoever reads that store.
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void *first(void *arg) {
  (void)arg;
  x = 1;
  return NULL;
}

static void *second(void *arg) {
  (void)arg;
  int seen = x;
  y = 1;
  return (void *)(long)seen;
}

static void *third(void *arg) {
  (void)arg;
  int seenY = y, seenX = x;
  return (void *)(long)(seenY && !seenX);
}

int main(void) {
  pthread_t a, b, c;
  void *passedOn, *missed;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_create(&c, NULL, third, NULL);
  pthread_join(a, NULL);
  pthread_join(b, &passedOn);
  pthread_join(c, &missed);
  assert(!(passedOn && missed));
  return 0;
}

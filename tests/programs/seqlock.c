// Sequence lock: a reader retries while the number is odd or changed. PSO needs store-store barriers in the writer.
#include <assert.h>
#include <pthread.h>

#ifdef FENCED
#define BARRIER() __atomic_thread_fence(__ATOMIC_RELEASE)
#else
#define BARRIER()
#endif

volatile unsigned sequence;
volatile int x, y;

static void *writer(void *arg) {
  (void)arg;
#ifndef NO_SEQUENCE
  sequence = 1;
  BARRIER();
#endif
  x = 1;
  y = 1;
#ifndef NO_SEQUENCE
  BARRIER();
  sequence = 2;
#endif
  return NULL;
}

static void *reader(void *arg) {
  unsigned before;
  int seenX, seenY;
  (void)arg;
  do {
    before = sequence;
    seenX = x;
    seenY = y;
  } while ((before & 1) || before != sequence);
  assert(seenX == seenY);
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&a, NULL, writer, NULL);
#else
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

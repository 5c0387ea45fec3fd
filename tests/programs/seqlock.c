// Sequence lock: a reader retries while the number is odd or changed. PSO needs barriers in the writer, POWER in both.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define BARRIER() do { if (FENCED) __atomic_thread_fence(__ATOMIC_RELEASE); } while (0)
#define READ_BARRIER() do { if (FENCED >= 3) __atomic_thread_fence(__ATOMIC_ACQUIRE); } while (0)

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
  unsigned before, seenX, seenY;
  (void)arg;
  do {
    before = sequence;
    READ_BARRIER();
    seenX = x, seenY = y;
    READ_BARRIER();
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

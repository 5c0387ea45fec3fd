// Message passing: data, then flag. A reader that sees it misses the data if stores (PSO) or loads (POWER) can swap.
#include <assert.h>
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif
#define FENCE(LEVEL, ORDER) do { if (FENCED >= (LEVEL)) __atomic_thread_fence(ORDER); } while (0)

volatile int data, flag;

static void *sender(void *arg) {
  (void)arg;
  data = 1;
  FENCE(1, __ATOMIC_RELEASE);
  flag = 1;
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  int seenFlag = flag;
  FENCE(3, __ATOMIC_ACQUIRE);
  int seenData = data;
  return (void *)(long)(!seenFlag || seenData);
}

int main(void) {
  pthread_t a, b;
  void *fine;
#ifdef PERMUTE
  pthread_create(&b, NULL, receiver, NULL);
  pthread_create(&a, NULL, sender, NULL);
#else
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, receiver, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, &fine);
#ifdef CHECK
  assert(fine);
#endif
  return 0;
}

// Message passing: data, then flag; a reader that sees the flag misses the data only if stores can swap (PSO).
#include <assert.h>
#include <pthread.h>

volatile int data, flag;

static void *sender(void *arg) {
  (void)arg;
  data = 1;
#ifdef FENCED
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
  flag = 1;
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  int seenFlag = flag;
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

// A pthread barrier: afterwards all slots are filled, and exactly one thread is the serial one.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

pthread_barrier_t barrier;
int slot[N];

static void *thread(void *arg) {
  long me = (long)arg;
  slot[me] = 1;
#ifdef NO_BARRIER
  int result = 0;
#else
  int result = pthread_barrier_wait(&barrier);
#endif
  for (int i = 0; i < N; i++)
    assert(slot[i] == 1);
  return (void *)(long)(result == PTHREAD_BARRIER_SERIAL_THREAD);
}

int main(void) {
  pthread_t threads[N];
  int serial = 0;
  pthread_barrier_init(&barrier, NULL, N);
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, thread, (void *)(long)i);
  for (int i = 0; i < N; i++) {
    void *chosen;
    pthread_join(threads[i], &chosen);
    serial += chosen != NULL;
  }
  assert(serial == 1);
  pthread_barrier_destroy(&barrier);
  return 0;
}

// pthread_once: the initialiser runs exactly once, and everybody waits until it is done.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

pthread_once_t once = PTHREAD_ONCE_INIT;
int value;

static void initialise(void) { value += 42; }

static void *thread(void *arg) {
  (void)arg;
  pthread_once(&once, initialise);
  assert(value == 42);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, thread, NULL);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

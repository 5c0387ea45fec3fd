// A recursive mutex taken twice by each of N threads: N! executions, and no thread deadlocks with itself.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

pthread_mutex_t mutex;
int counter;

static void increment(void) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
}

static void *thread(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  int before = counter;
  increment();
  assert(counter == before + 1);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  for (int i = 0; i < N; i++) {
#ifdef PERMUTE
    long me = N - 1 - i;
#else
    long me = i;
#endif
    pthread_create(&threads[i], NULL, thread, (void *)me);
  }
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}

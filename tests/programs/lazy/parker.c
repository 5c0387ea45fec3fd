// Parker of the Java virtual machine, as it was: the fast path of park() has no fence, so that taking the permit can be
// delayed past the look at the flag, and the permit of the last unpark() is lost. Not robust; it hangs under TSO.
#include <pthread.h>

#ifndef FENCED
#define FENCED 0
#endif

static volatile int counter = 1; // a permit that an earlier unpark() left
static volatile int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void park(void) {
  if (counter > 0) {
    counter = 0;
#if FENCED
    __sync_synchronize();
#endif
    return;
  }
  pthread_mutex_lock(&mutex);
  if (counter == 0)
    pthread_cond_wait(&condition, &mutex);
  counter = 0;
  pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
  pthread_mutex_lock(&mutex);
  int before = counter;
  counter = 1;
  pthread_mutex_unlock(&mutex);
  if (before < 1)
    pthread_cond_signal(&condition);
}

static void *waiter(void *arg) {
  while (!flag)
    park();
  return arg;
}

static void *waker(void *arg) {
  flag = 1;
  unpark();
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

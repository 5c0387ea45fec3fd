// Parker of the Java virtual machine, as it was: park() takes a permit without a barrier, so that this can be delayed
// past the look at what the permit was given for, and the permit of the next unpark() is taken along. The thread then
// waits in vain. A mutex that is taken makes park() return at once, to be called again.
#include <pthread.h>

#ifdef FENCED
#define TAKEN() __sync_synchronize()
#else
#define TAKEN()
#endif

static volatile int permit, wanted, signalled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void park(void) {
  if (permit > 0) {
    permit = 0;
    TAKEN();
    return;
  }
  if (pthread_mutex_trylock(&mutex) != 0)
    return;
  if (permit > 0) {
    permit = 0;
    pthread_mutex_unlock(&mutex);
    return;
  }
  signalled = 0;
  pthread_mutex_unlock(&mutex);
  while (!signalled)
    ;
  pthread_mutex_lock(&mutex);
  permit = 0;
  pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
  pthread_mutex_lock(&mutex);
  int before = permit;
  permit = 1;
  if (before < 1)
    signalled = 1;
  pthread_mutex_unlock(&mutex);
}

static void *waiting(void *arg) {
  while (!wanted)
    park();
  return arg;
}

static void *waking(void *arg) {
  unpark(); // for something else
  wanted = 1;
  unpark();
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, waking, NULL);
  pthread_create(&a, NULL, waiting, NULL);
#else
  pthread_create(&a, NULL, waiting, NULL);
  pthread_create(&b, NULL, waking, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// pthread_exit from a nested call, its result by join, a detached thread, pthread_self and pthread_equal.
#include <assert.h>
#include <pthread.h>

pthread_t self;

static void leave(long result) { pthread_exit((void *)result); }

static void *leaver(void *arg) {
  self = pthread_self();
  leave((long)arg + 1);
  assert(0);
}

static void *nothing(void *arg) { return arg; }

int main(void) {
  pthread_t a, b;
  void *result;
  pthread_create(&a, NULL, leaver, (void *)41);
  pthread_create(&b, NULL, nothing, NULL);
  pthread_detach(b);
  pthread_join(a, &result);
  assert(result == (void *)42);
  assert(pthread_equal(self, a) && !pthread_equal(self, pthread_self()));
  return 0;
}

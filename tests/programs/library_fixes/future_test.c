#include <assert.h>
#include <pthread.h>
#include "future.c"

static struct future future;

static void *setter(void *arg) {
  (void)arg;
  future_set(&future, 41);
  return NULL;
}

static void *waiter(void *arg) {
  (void)arg;
  assert(future_wait(&future) == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, setter, NULL);
  pthread_create(&b, NULL, waiter, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(future_is_ready(&future));
  return 0;
}

#include <assert.h>
#include <pthread.h>
#include "once.h"

static once_t once;
static int config;

static void init(void) { config = 41; }

static void *user(void *arg) {
  (void)arg;
  once_call(&once, init);
  assert(config == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

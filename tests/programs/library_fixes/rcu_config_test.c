#include <assert.h>
#include <pthread.h>
#include "rcu_config.h"

static struct config config;

static void *updater(void *arg) {
  (void)arg;
  config_publish(&config, 4, 3);
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  const struct config *c = config_get();
  assert(!c || c->width == 4);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  config_drop();
  pthread_create(&a, NULL, updater, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

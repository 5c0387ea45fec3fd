#include <assert.h>
#include <pthread.h>
#include "singleton.h"

static void *client(void *arg) {
  (void)arg;
  assert(service_get()->port == 80);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, client, NULL);
  pthread_create(&b, NULL, client, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

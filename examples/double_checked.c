// Double-checked initialisation that publishes the pointer before the object that it points to is initialised.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
  int limit;
};

struct config *_Atomic instance;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct config *get(void) {
  struct config *found = atomic_load(&instance);
  if (!found) {
    pthread_mutex_lock(&mutex);
    found = atomic_load(&instance);
    if (!found) {
      found = calloc(1, sizeof *found);
      atomic_store(&instance, found);
      found->limit = 10; // too late: others may be using it by now
    }
    pthread_mutex_unlock(&mutex);
  }
  return found;
}

void *user(void *arg) {
  (void)arg;
  assert(get()->limit == 10);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, user, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  free(instance);
  return 0;
}

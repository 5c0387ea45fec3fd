// Double-checked initialisation: right under TSO; PSO needs a release store (RELEASE) or a barrier (FENCED).
#include <assert.h>
#include <pthread.h>

struct config {
  int value;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct config storage;
struct config *volatile instance;

static struct config *get(void) {
  struct config *found = instance;
  if (found != NULL)
    return found;
  pthread_mutex_lock(&mutex);
  found = instance;
  if (found == NULL) {
    found = &storage;
    found->value += 42; // twice would show
#ifdef RELEASE
    __atomic_store_n(&instance, found, __ATOMIC_RELEASE);
#else
#ifdef FENCED
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
    instance = found;
#endif
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

static void *thread(void *arg) {
  (void)arg;
  assert(get()->value == 42);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, NULL);
  pthread_create(&b, NULL, thread, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

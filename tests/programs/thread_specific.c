// Thread-specific data: each thread finds its own value again, and the destructor runs once per thread.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_key_t key;
atomic_int destroyed;

static void destroy(void *value) {
  assert(value != NULL);
  atomic_fetch_add(&destroyed, 1);
}

static void *thread(void *arg) {
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, arg);
  assert(pthread_getspecific(key) == arg);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_key_create(&key, destroy);
  pthread_create(&a, NULL, thread, (void *)1);
  pthread_create(&b, NULL, thread, (void *)2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(destroyed == 2);
  pthread_key_delete(key);
  return 0;
}

// Structures copied whole: under the mutex a reader gets all of one copy, without it parts of two (-DUNLOCKED).
#include <assert.h>
#include <pthread.h>

struct point {
  int x, y, z;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct point shared = {1, 1, 1};

static void *writer(void *arg) {
  struct point fresh = {2, 2, 2};
  (void)arg;
  pthread_mutex_lock(&mutex);
  shared = fresh;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
#ifdef UNLOCKED
  struct point copy = shared;
#else
  pthread_mutex_lock(&mutex);
  struct point copy = shared;
  pthread_mutex_unlock(&mutex);
#endif
  assert(copy.x == copy.y && copy.y == copy.z);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

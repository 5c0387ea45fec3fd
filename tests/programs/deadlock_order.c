// Deadlock: two threads take two mutexes in opposite order.
#include <pthread.h>

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *leftFirst(void *arg) {
  (void)arg;
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return NULL;
}

static void *rightFirst(void *arg) {
  (void)arg;
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, rightFirst, NULL);
  pthread_create(&a, NULL, leftFirst, NULL);
#else
  pthread_create(&a, NULL, leftFirst, NULL);
  pthread_create(&b, NULL, rightFirst, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

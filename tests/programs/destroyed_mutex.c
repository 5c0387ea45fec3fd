// Locking a destroyed mutex: the owner closes the door on a thread that has yet to come.
#include <pthread.h>

pthread_mutex_t mutex;

static void *thread(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex); // bug
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_create(&a, NULL, thread, NULL);
  pthread_join(a, NULL);
  return 0;
}

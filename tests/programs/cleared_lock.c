// A structure with a mutex in it that is cleared as a whole before another thread locks it.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static struct box {
  pthread_mutex_t mutex;
  char bytes[4];
} box;
static sem_t ready;

static void *worker(void *arg) {
#ifndef TOO_EARLY
  sem_wait(&ready);
#endif
  pthread_mutex_lock(&box.mutex);
  box.bytes[1]++;
  pthread_mutex_unlock(&box.mutex);
  return arg;
}

int main(void) {
  pthread_t w;
  sem_init(&ready, 0, 0);
  pthread_create(&w, NULL, worker, NULL);
  memset(&box, 0, sizeof box);
  sem_post(&ready);
  pthread_mutex_lock(&box.mutex);
  box.bytes[1]++;
  pthread_mutex_unlock(&box.mutex);
  pthread_join(w, NULL);
  assert(box.bytes[1] == 2);
  return 0;
}

#include <assert.h>
#include <pthread.h>
#include "semaphore.h"

static semaphore_t ready;
static int message;

static void *sender(void *arg) {
  (void)arg;
  message = 41;
  semaphore_post(&ready, 1);
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  semaphore_wait(&ready);
  assert(message == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, receiver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(semaphore_reserve(&ready) == 0);
  return 0;
}

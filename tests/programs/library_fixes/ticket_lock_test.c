#include <assert.h>
#include <pthread.h>
#include "ticket_lock.h"

static ticket_lock_t lock;
static int shared;

static void *worker(void *arg) {
  (void)arg;
  ticket_lock(&lock);
  shared++;
  ticket_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(shared == 2);
  return 0;
}

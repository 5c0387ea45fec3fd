#include <assert.h>
#include <pthread.h>
#include "clhlock.h"

static clhlock_t lock;
static int shared;

static void *worker(void *arg) {
  clh_qnode_t *node = arg;
  clhlock_acquire(&lock, node);
  shared++;
  clhlock_release(node);
  return NULL;
}

int main(void) {
  static clh_qnode_t nodes[2];
  pthread_t a, b;
  clhlock_init(&lock);
  pthread_create(&a, NULL, worker, &nodes[0]);
  pthread_create(&b, NULL, worker, &nodes[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(shared == 2);
  return 0;
}

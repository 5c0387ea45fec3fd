#include <assert.h>
#include <pthread.h>
#include "mcs_lock.h"

static struct mcs_lock lock;
static int shared;

static void *worker(void *arg) {
  struct mcs_node *me = arg;
  mcs_acquire(&lock, me);
  shared++;
  mcs_release(&lock, me);
  return NULL;
}

int main(void) {
  static struct mcs_node nodes[2];
  pthread_t a, b;
  pthread_create(&a, NULL, worker, &nodes[0]);
  pthread_create(&b, NULL, worker, &nodes[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(shared == 2);
  return 0;
}

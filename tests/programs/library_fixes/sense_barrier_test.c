#include <assert.h>
#include <pthread.h>
#include "sense_barrier.h"

static struct sense_barrier barrier = {.threads = 2};
static int parts[2];

static void *worker(void *arg) {
  long me = (long)arg;
  int sense = 0;
  parts[me] = 1;
  sense_barrier_wait(&barrier, &sense);
  assert(parts[1 - me] == 1);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, (void *)0);
  pthread_create(&b, NULL, worker, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

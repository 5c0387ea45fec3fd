#include <assert.h>
#include <pthread.h>
#include "peterson.h"

static struct peterson lock;
static int shared;

static void *worker(void *arg) {
  int me = (int)(long)arg;
  peterson_lock(&lock, me);
  shared++;
  peterson_unlock(&lock, me);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, (void *)0);
  pthread_create(&b, NULL, worker, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(shared == 2);
  return 0;
}

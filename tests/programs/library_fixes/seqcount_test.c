#include <assert.h>
#include <pthread.h>
#include "seqcount.h"

static struct seqcount pair;

static void *writer(void *arg) {
  (void)arg;
  seqcount_write(&pair, 1, 1);
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  int a, b;
  if (seqcount_try_read(&pair, &a, &b))
    assert(a == b);
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

// realloc of a block that others wrote to: what they wrote moves into a block that is the thread's own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic int *block;
atomic_int ready, more;

static void *writer(void *arg) {
  atomic_store(&block[0], 1 + atomic_load(&more));
  atomic_store(&ready, 1);
  return arg;
}

static void *other(void *arg) {
  atomic_store(&more, 1);
  return arg;
}

static void *grower(void *arg) {
  if (!atomic_load(&ready))
    return arg;
  int *larger = realloc((void *)block, 8);
  if (atomic_load(&ready) != 1)
    return arg;
  assert(larger[0] != 2); // bug
  return arg;
}

int main(void) {
  pthread_t a, b, c;
  block = malloc(4);
  atomic_init(block, 0);
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&c, NULL, grower, NULL);
  pthread_create(&b, NULL, other, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}

// A block that another thread allocates where it got to, as large as it took it to be, and a user who finds it by its
// address. -DSITE: two allocations, only one of which is written to once it is published.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int large;
_Atomic(int *) published;

#ifdef SITE
static void *maker(void *arg) {
  int *block;
  if (atomic_load(&large)) {
    block = malloc(sizeof(int));
    *block = 1;
    atomic_store(&published, block);
  } else {
    block = malloc(sizeof(int));
    *block = 1;
    atomic_store(&published, block);
    *block = 5; // too late
    *block = 1;
  }
  return arg;
}
static void *user(void *arg) {
  int *block = atomic_load(&published);
  if (block)
    assert(*block != 5); // bug
  return arg;
}
#else
static void *maker(void *arg) {
  int *block = malloc(atomic_load(&large) ? 64 : 4);
  atomic_store(&published, block);
  return arg;
}
static void *user(void *arg) {
  int *block = atomic_load(&published);
  if (block)
    block[10] = 1; // bug
  return arg;
}
#endif

int main(void) {
  pthread_t a, b;
  atomic_store(&large, 0);
  pthread_create(&b, NULL, maker, NULL);
  pthread_create(&a, NULL, user, NULL);
  atomic_store(&large, 1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

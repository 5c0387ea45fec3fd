// realloc moves a block of which a part is accessed in some executions only, and the bug is in the others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair {
  int a, b;
} *old;
atomic_int flag;

static void *early(void *arg) {
  if (atomic_load(&flag))
    old->b = 1;
  return arg;
}

static void *set(void *arg) {
  atomic_store(&flag, 1);
  return arg;
}

static void *late(void *arg) {
  struct pair *moved = arg;
  assert(moved->a == 0);
#ifndef CORRECT
  assert(moved->b == 1);
#endif
  return arg;
}

int main(void) {
  pthread_t a, b, c;
  old = calloc(1, sizeof *old);
#ifdef PERMUTE
  pthread_create(&b, NULL, set, NULL);
  pthread_create(&a, NULL, early, NULL);
#else
  pthread_create(&a, NULL, early, NULL);
  pthread_create(&b, NULL, set, NULL);
#endif
  pthread_join(a, NULL);
  struct pair *moved = realloc(old, 2 * sizeof *old);
  pthread_create(&c, NULL, late, moved);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  free(moved);
  return 0;
}

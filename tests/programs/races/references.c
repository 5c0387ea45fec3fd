// The last owner frees. WRONG: the count goes down with relaxed order.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WRONG
#define DOWN memory_order_relaxed
#else
#define DOWN memory_order_acq_rel
#endif

struct object {
  atomic_int owners;
  int data;
};

static struct object *object;

static void drop(void) {
  if (atomic_fetch_sub_explicit(&object->owners, 1, DOWN) == 1)
    object->data = -1;
}

static void *first(void *arg) {
  int seen = object->data;
  drop();
  return seen == 1 ? arg : NULL;
}

static void *second(void *arg) {
  int seen = object->data;
  drop();
  return seen == 1 ? arg : NULL;
}

int main(void) {
  pthread_t a, b;
  object = malloc(sizeof *object);
  atomic_init(&object->owners, 2);
  object->data = 1;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(object);
}

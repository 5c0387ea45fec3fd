#include <assert.h>
#include <pthread.h>
#include "kref.h"
#include <stdlib.h>

struct object {
  struct kref ref; // first: release gets the object
  int uses[2];
};
static struct object *object;

static void object_release(struct kref *ref) {
  struct object *o = (struct object *)ref;
  assert(o->uses[0] == 1 && o->uses[1] == 1);
  free(o);
}

static void *user(void *arg) {
  object->uses[(long)arg] = 1;
  kref_put(&object->ref, object_release);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  object = calloc(1, sizeof *object);
  kref_init(&object->ref);
  kref_get(&object->ref);
  pthread_create(&a, NULL, user, (void *)0);
  pthread_create(&b, NULL, user, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

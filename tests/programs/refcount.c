// Reference counting: the last user frees the object; with a plain count both may believe to be the last.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int *object;
#ifdef RACY
volatile int references = 2;
#else
atomic_int references = 2;
#endif

static void *user(void *arg) {
  (void)arg;
  assert(*object == 7);
#ifdef RACY
  references--;
  if (references == 0)
#else
  if (atomic_fetch_sub_explicit(&references, 1, memory_order_acq_rel) == 1)
#endif
    free(object); // bug
  return NULL;
}

int main(void) {
  pthread_t a, b;
  object = malloc(sizeof *object);
  *object = 7;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

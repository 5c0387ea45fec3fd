// Use after free: one thread frees the record while the other may still write to it.
#include <pthread.h>
#include <stdlib.h>

struct record {
  int count, value;
};

struct record *record;

static void *user(void *arg) {
  (void)arg;
  record->value = 1; // bug
  return NULL;
}

static void *owner(void *arg) {
  (void)arg;
  free(record);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  record = malloc(sizeof *record);
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, owner, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

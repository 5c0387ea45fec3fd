#include <assert.h>
#include <pthread.h>
#include "hazard.h"

static struct hazard_domain domain;

static void *reader(void *arg) {
  (void)arg;
  int *p = hazard_acquire(&domain);
  if (p) {
    int value = *p;
    assert(value == 1);
  }
  hazard_release(&domain);
  return NULL;
}

int main(void) {
  static int replacement = 1;
  pthread_t a;
  int *first = malloc(sizeof *first);
  *first = 1;
  atomic_init(&domain.current, first);
  pthread_create(&a, NULL, reader, NULL);
  hazard_retire(&domain, &replacement);
  pthread_join(a, NULL);
  return 0;
}

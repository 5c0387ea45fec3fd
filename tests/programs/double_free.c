// Double free: two threads see the pointer before either clears it.
#include <pthread.h>
#include <stdlib.h>

void *volatile shared;

static void *release(void *arg) {
  (void)arg;
  void *mine = shared;
  if (mine != NULL) {
    free(mine); // bug
    shared = NULL;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  shared = malloc(8);
  pthread_create(&a, NULL, release, NULL);
  pthread_create(&b, NULL, release, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

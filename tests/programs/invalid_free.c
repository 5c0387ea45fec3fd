// Invalid free: depending on who comes first, a thread frees memory that malloc never gave out.
#include <pthread.h>
#include <stdlib.h>

int fallback;
void *volatile shared = &fallback;

static void *provider(void *arg) {
  (void)arg;
  shared = malloc(4);
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  free(shared); // bug
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, provider, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// Threads write elements of one array. WRONG: the same one.
#include <pthread.h>
#include <stdatomic.h>

static int elements[2];

static void *write_to(void *arg) {
  int *mine = arg;
  *mine = 1;
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_to, &elements[0]);
#ifdef WRONG
  pthread_create(&b, NULL, write_to, &elements[0]);
#else
  pthread_create(&b, NULL, write_to, &elements[1]);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

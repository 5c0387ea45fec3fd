// Each thread writes its part before a barrier and reads the other after it. WRONG: one reads before it.
#include <pthread.h>
#include <stdatomic.h>

static int parts[2];
static pthread_barrier_t barrier;

static void *first(void *arg) {
  parts[0] = 1;
  pthread_barrier_wait(&barrier);
  return parts[1] ? arg : NULL;
}

static void *second(void *arg) {
  parts[1] = 1;
#ifdef WRONG
  int seen = parts[0];
  pthread_barrier_wait(&barrier);
#else
  pthread_barrier_wait(&barrier);
  int seen = parts[0];
#endif
  return seen ? arg : NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

// Statistics that may be wrong: the races are intended, and marked so. UNMARKED: they are not.
#include <pthread.h>

#ifdef UNMARKED
static int hits;
#else
static int hits; // picket: benign-race
#endif

static struct {
  int hint; // picket: benign-race
  int other;
} shared;

static void *count(void *arg) {
  hits++;
  shared.hint = hits;
  return arg;
}

__attribute__((no_sanitize("thread"))) static int guess(void) {
  return hits + shared.hint;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, count, NULL);
  pthread_create(&b, NULL, count, NULL);
  int sum = guess();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return sum < 0;
}

// Two threads write members of their own. WRONG: these are bit-fields of one word.
#include <pthread.h>
#include <stdatomic.h>

#ifdef WRONG
static struct {
  unsigned mine : 4, yours : 4;
} both;
#else
static struct {
  unsigned char mine, yours;
} both;
#endif

static void *first(void *arg) {
  both.mine = 1;
  return arg;
}

static void *second(void *arg) {
  both.yours = 1;
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

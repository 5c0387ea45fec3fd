// All kinds of __sync builtins from two threads on one word.
#include <assert.h>
#include <pthread.h>

unsigned bits;
long sum = 10;

static void *first(void *arg) {
  (void)arg;
  __sync_fetch_and_or(&bits, 1u);
  __sync_add_and_fetch(&sum, 5);
  return NULL;
}

static void *second(void *arg) {
  (void)arg;
  __sync_or_and_fetch(&bits, 2u);
  __sync_fetch_and_sub(&sum, 3);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(bits == 3 && sum == 12);
  assert(__sync_val_compare_and_swap(&sum, 12, 1) == 12 && sum == 1);
  assert(__sync_fetch_and_xor(&bits, 1u) == 3 && __sync_and_and_fetch(&bits, 2u) == 2);
  return 0;
}

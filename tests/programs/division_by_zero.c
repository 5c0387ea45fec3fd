// Division by zero: the divisor is checked, then read again after another thread cleared it.
#include <pthread.h>

volatile int divisor = 5;

static void *divider(void *arg) {
  long result = 0;
  (void)arg;
  if (divisor != 0)
    result = 100 / divisor; // bug
  return (void *)result;
}

static void *clearer(void *arg) {
  (void)arg;
  divisor = 0;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, divider, NULL);
  pthread_create(&b, NULL, clearer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// __VERIFIER_atomic_begin and _end make a plain increment indivisible; without them one is lost (-DNO_ATOMIC).
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assert(int);

int counter;

static void *increment(void *arg) {
  (void)arg;
#ifndef NO_ATOMIC
  __VERIFIER_atomic_begin();
#endif
  counter = counter + 1;
#ifndef NO_ATOMIC
  __VERIFIER_atomic_end();
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, increment, NULL);
  pthread_create(&b, NULL, increment, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  __VERIFIER_assert(counter == 2); // bug
  return 0;
}

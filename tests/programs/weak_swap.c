// A weak compare-and-swap may fail for no reason. -DLOOP: it is tried again, which is right, and as if it never did.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;

static void *add(void *arg) {
  int old = atomic_load(&count);
#ifdef LOOP
  while (!atomic_compare_exchange_weak(&count, &old, old + 1))
    ;
#else
  if (!atomic_compare_exchange_weak(&count, &old, old + 1))
    atomic_compare_exchange_weak(&count, &old, old + 1);
#endif
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(count == 2); // bug
}

// A spin lock. WRONG: it is given back with a relaxed store.
#include <pthread.h>
#include <stdatomic.h>

#ifdef WRONG
#define GIVE_BACK memory_order_relaxed
#else
#define GIVE_BACK memory_order_release
#endif

static atomic_int taken;
static int shared;

static void enter(void) {
  while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
    ;
}

static void leave(void) { atomic_store_explicit(&taken, 0, GIVE_BACK); }

static void *first(void *arg) {
  enter();
  shared++;
  leave();
  return arg;
}

static void *second(void *arg) {
  enter();
  shared++;
  leave();
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

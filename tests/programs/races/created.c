// Data is prepared before the thread is made. WRONG: after that.
#include <pthread.h>
#include <stdatomic.h>

static int prepared;
static atomic_int other;

static void *use(void *arg) {
  atomic_store_explicit(&other, prepared, memory_order_relaxed);
  return arg;
}

int main(void) {
  pthread_t thread;
#ifndef WRONG
  prepared = 1;
#endif
  pthread_create(&thread, NULL, use, NULL);
#ifdef WRONG
  prepared = 1;
#endif
  pthread_join(thread, NULL);
}

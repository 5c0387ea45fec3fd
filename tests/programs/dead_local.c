// A function lends its local variable to a thread and, unless it waits for it (JOIN), returns too early.
#include <pthread.h>

static void *borrower(void *arg) {
  volatile int *mine = arg;
  *mine = 1; // bug
  return NULL;
}

#ifdef NOINLINE
__attribute__((noinline))
#endif
static pthread_t lend(void) {
  volatile int local = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, borrower, (void *)&local);
#ifdef JOIN
  pthread_join(thread, NULL);
#endif
  return thread;
}

int main(void) {
  pthread_t thread = lend();
#ifndef JOIN
  pthread_join(thread, NULL);
#endif
  (void)thread;
  return 0;
}

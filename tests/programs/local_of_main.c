// A thread uses a variable of main's. Returning from main ends the process; pthread_exit (EXIT) ends main's variables.
#include <pthread.h>

static void *borrower(void *arg) {
  *(volatile int *)arg = 1; // bug
  return NULL;
}

int main(void) {
  volatile int local = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, borrower, (void *)&local);
#ifdef EXIT
  pthread_exit(NULL);
#endif
  return 0;
}

// Use after return: a thread reads a local variable of a function that has ended.
#include <pthread.h>

int *volatile shared;

static void *lender(void *arg) {
  int local = (int)(long)arg;
  shared = &local;
  return NULL;
}

static void *borrower(void *arg) {
  (void)arg;
  int *mine = shared;
  if (mine != NULL)
    return (void *)(long)*mine; // bug
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, lender, (void *)1);
  pthread_create(&b, NULL, borrower, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

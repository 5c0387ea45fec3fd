// A spin loop that nobody ends: the helper looks at the request once, maybe too early.
#include <pthread.h>

volatile int request, answer;

static void *helper(void *arg) {
  (void)arg;
  if (request)
    answer = 1;
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, helper, NULL);
  request = 1;
  while (!answer) // bug
    ;
  pthread_join(a, NULL);
  return 0;
}

// __VERIFIER_assume drops executions: only those in which the flag was seen count, the others are blocked.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

volatile int data, flag;

static void *sender(void *arg) {
  (void)arg;
  data = 1;
  flag = 1;
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  __VERIFIER_assume(flag == 1);
  assert(data == 1);
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, receiver, NULL);
  pthread_create(&a, NULL, sender, NULL);
#else
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, receiver, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

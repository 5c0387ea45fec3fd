// What a thread was created with is all that tells its executions apart, and at first only memory of its own knows it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, number, out;
int one = 1;
_Thread_local long mine;

static void *child(void *arg) {
  mine = (long)arg;
  int k = one;
  atomic_store(&number, k);
  atomic_store(&out, (int)mine);
  return NULL;
}

static void *setter(void *arg) {
  atomic_store(&flag, 1);
  atomic_load(&number);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, setter, NULL);
  int seen = atomic_load(&flag);
  pthread_create(&b, NULL, child, (void *)(long)(10 + seen));
  pthread_join(b, NULL);
  int got = atomic_load(&out);
  pthread_join(a, NULL);
  assert(got == 10 + seen);
  return 0;
}

// A section writes data and a flag in one step. A reader that does not keep its loads in order may still miss the data
// under POWER (-DORDERED: it does keep them). Another thread moves the data on, in a section as well.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assert(int);

int data, flag;

static void *publish(void *arg) {
  __VERIFIER_atomic_begin();
  data = data + 1;
  flag = 1;
  __VERIFIER_atomic_end();
  return arg;
}

void __VERIFIER_atomic_add(int by) { data = data + by; }

static void *add(void *arg) {
  __VERIFIER_atomic_add(2);
  return arg;
}

static void *read_both(void *arg) {
  int seen = *(volatile int *)&flag;
#ifdef ORDERED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  int value = *(volatile int *)&data;
  __VERIFIER_assert(!seen || value == 1 || value == 3); // bug
  return arg;
}

int main(void) {
  pthread_t a, b, c;
#ifdef PERMUTE
  pthread_create(&c, NULL, read_both, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_create(&a, NULL, publish, NULL);
#else
  pthread_create(&a, NULL, publish, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_create(&c, NULL, read_both, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  __VERIFIER_assert(data == 3);
  return 0;
}

// A volatile flag with fences, as in code from before C11: a data race in C11, none if volatile accesses are relaxed.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static volatile int flag;

static void *first(void *arg) {
  data = 42;
  atomic_thread_fence(memory_order_release);
  flag = 1;
  return arg;
}

static void *second(void *arg) {
  if (flag) {
    atomic_thread_fence(memory_order_acquire);
    data = data + 1;
  }
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

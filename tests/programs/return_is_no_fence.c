// Store buffering across a return: the end of a local variable that another thread has seen does not let stores land.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int x, y, ack;
volatile int *volatile lent;
int seen_x, seen_y;

__attribute__((noinline)) static void lend_and_store(void) {
  volatile int local = 0;
  lent = &local;
  while (!ack)
    ;
  local = 2;
  x = 1;
}

static void *lender(void *arg) {
  (void)arg;
  lend_and_store();
  seen_y = y;
  return NULL;
}

static void *borrower(void *arg) {
  (void)arg;
  while (!lent)
    ;
  *lent = 1;
  atomic_thread_fence(memory_order_seq_cst);
  ack = 1;
  return NULL;
}

static void *other(void *arg) {
  (void)arg;
  y = 1;
  atomic_thread_fence(memory_order_seq_cst);
  seen_x = x;
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, lender, NULL);
  pthread_create(&b, NULL, borrower, NULL);
  pthread_create(&c, NULL, other, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  assert(seen_x || seen_y);
  return 0;
}

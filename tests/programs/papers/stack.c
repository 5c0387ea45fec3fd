// One thread pushes onto an array, another one pops, all under a lock of their own making. Safe: nobody pops before
// something was pushed. UNSAFE: the check for that is missing, and a pop may find the stack empty. MUTEX: under a
// mutex.
#include "flag_lock.h"

#define SIZE 5

static int items[SIZE];
static volatile int top;
#ifdef MUTEX
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define LOCK(ME) pthread_mutex_lock(&mutex)
#define UNLOCK(ME) pthread_mutex_unlock(&mutex)
#else
#define LOCK(ME) flag_lock(ME)
#define UNLOCK(ME) flag_unlock(ME)
#endif

static void push(int item) {
  assert(top < SIZE);
  items[top] = item;
  top++;
}

static void pop(void) {
  assert(top > 0);
  top--;
  (void)items[top];
}

static void *thread(void *arg) {
  int me = (int)(long)arg;
  for (int k = 0; k < SIZE; k++) {
    LOCK(me);
    if (me == 0)
      push(k);
#ifdef UNSAFE
    else
#else
    else if (top > 0)
#endif
      pop();
    UNLOCK(me);
  }
  return NULL;
}

int main(void) { return run_two(thread); }

// One thread pushes onto an array, another one pops, all under a mutex. Safe: nobody pops before something was pushed.
// UNSAFE: the check for that is missing, and a pop may find the stack empty.
#include <assert.h>
#include <pthread.h>

#ifndef SIZE
#define SIZE 5
#endif

static int items[SIZE], top;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void push(int item) {
  assert(top < SIZE);
  items[top++] = item;
}

static int pop(void) {
  assert(top > 0);
  return items[--top];
}

static void *pushing(void *arg) {
  for (int k = 0; k < SIZE; k++) {
    pthread_mutex_lock(&mutex);
    push(k);
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

static void *popping(void *arg) {
  for (int k = 0; k < SIZE; k++) {
    pthread_mutex_lock(&mutex);
#ifndef UNSAFE
    if (top > 0)
#endif
      pop();
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, popping, NULL);
  pthread_create(&a, NULL, pushing, NULL);
#else
  pthread_create(&a, NULL, pushing, NULL);
  pthread_create(&b, NULL, popping, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

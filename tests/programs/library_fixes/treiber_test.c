#include <assert.h>
#include <pthread.h>
#include "treiber.h"

static struct treiber stack;
static struct treiber_node node;

static void *pusher(void *arg) {
  (void)arg;
  node.value = 41;
  treiber_push(&stack, &node);
  return NULL;
}

static void *popper(void *arg) {
  (void)arg;
  struct treiber_node *top = treiber_pop(&stack);
  assert(!top || top->value == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, pusher, NULL);
  pthread_create(&b, NULL, popper, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

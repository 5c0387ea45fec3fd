// Null access: the pointer is checked, then read again after another thread cleared it.
#include <pthread.h>
#include <stddef.h>

int value;
int *volatile pointer = &value;

static void *user(void *arg) {
  (void)arg;
  if (pointer != NULL)
    *pointer = 1; // bug
  return NULL;
}

static void *clearer(void *arg) {
  (void)arg;
  pointer = NULL;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, clearer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

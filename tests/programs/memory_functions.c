// memset, memcpy, memmove, memcmp and string functions on shared and local memory, under a mutex.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char text[16] = "abcdef";

static void *shiftLeft(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  memmove(text, text + 1, strlen(text));
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *overwrite(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  memset(text + 1, 'x', 2);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, shiftLeft, NULL);
  pthread_create(&b, NULL, overwrite, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(strcmp(text, "xxdef") == 0 || strcmp(text, "bxxef") == 0);
  char *copy = calloc(1, sizeof text);
  memcpy(copy, text, sizeof text);
  assert(memcmp(copy, text, sizeof text) == 0 && copy[15] == 0);
  copy = realloc(copy, 32);
  assert(strncmp(copy, text, 5) == 0 && strchr(copy, 'e') == copy + 3);
  strcpy(copy, "longer than sixteen bytes");
  assert(strlen(copy) == 25);
  free(copy);
  return 0;
}

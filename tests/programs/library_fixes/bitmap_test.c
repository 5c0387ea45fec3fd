#include <assert.h>
#include <pthread.h>
#include "bitmap.h"

static struct bitmap slots;
static int slot;

static void *user(void *arg) {
  (void)arg;
  if (bitmap_take(&slots) == 0) {
    slot++;
    bitmap_give(&slots);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

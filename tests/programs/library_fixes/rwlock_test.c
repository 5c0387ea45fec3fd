#include <assert.h>
#include <pthread.h>
#include "rwlock.h"

static struct rwlock lock;
static int x, y;

static void *writer(void *arg) {
  (void)arg;
  rwlock_write_lock(&lock);
  x = 1;
  y = 1;
  rwlock_write_unlock(&lock);
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  rwlock_read_lock(&lock);
  assert(x == y);
  rwlock_read_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

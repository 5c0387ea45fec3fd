// A pthread reader-writer lock keeps two variables in step; without it a reader sees them apart.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

static void *writer(void *arg) {
  (void)arg;
#ifndef UNLOCKED
  pthread_rwlock_wrlock(&lock);
#endif
  x++;
  y++;
#ifndef UNLOCKED
  pthread_rwlock_unlock(&lock);
#endif
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  pthread_rwlock_rdlock(&lock);
  int seenX = x, seenY = y;
  pthread_rwlock_unlock(&lock);
  assert(seenX == seenY);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
#ifdef PERMUTE
  pthread_create(&c, NULL, reader, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&a, NULL, writer, NULL);
#else
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&c, NULL, reader, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}

// A reader-writer lock in one atomic word: the number of readers, or -1 for a writer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int state;
int x, y;

static void lockShared(void) {
  int seen;
  do {
    while ((seen = atomic_load(&state)) < 0)
      ;
  } while (!atomic_compare_exchange_strong(&state, &seen, seen + 1));
}

static void unlockShared(void) { atomic_fetch_sub(&state, 1); }

static void lockExclusive(void) {
  int nobody;
  do {
    while (atomic_load(&state) != 0)
      ;
    nobody = 0;
  } while (!atomic_compare_exchange_strong(&state, &nobody, -1));
}

static void unlockExclusive(void) { atomic_store_explicit(&state, 0, memory_order_release); }

static void *writer(void *arg) {
  (void)arg;
  lockExclusive();
  x++;
  y++;
  unlockExclusive();
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  lockShared();
  int seenX = x, seenY = y;
  unlockShared();
  assert(seenX == seenY);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&c, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}

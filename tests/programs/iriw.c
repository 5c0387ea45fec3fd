// Independent reads of independent writes: two readers never disagree on the order of two stores.
#include <assert.h>
#include <pthread.h>

volatile int x, y;

static void *writeX(void *arg) {
  (void)arg;
  x = 1;
  return NULL;
}

static void *writeY(void *arg) {
  (void)arg;
  y = 1;
  return NULL;
}

static void *readXY(void *arg) {
  (void)arg;
  int first = x, second = y;
  return (void *)(long)(first && !second);
}

static void *readYX(void *arg) {
  (void)arg;
  int first = y, second = x;
  return (void *)(long)(first && !second);
}

int main(void) {
  void *(*const start[4])(void *) = {writeX, writeY, readXY, readYX};
  pthread_t threads[4];
  void *result[4];
  for (int i = 0; i < 4; i++) {
#ifdef PERMUTE
    int which = 3 - i;
#else
    int which = i;
#endif
    pthread_create(&threads[which], NULL, start[which], NULL);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], &result[i]);
  assert(!(result[2] && result[3]));
  return 0;
}

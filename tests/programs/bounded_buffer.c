// Bounded buffer with condition variables; with USE_IF a woken consumer trusts a condition that is stale.
#include <assert.h>
#include <pthread.h>

#define CAPACITY 2

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t notEmpty = PTHREAD_COND_INITIALIZER, notFull = PTHREAD_COND_INITIALIZER;
int items;

static void *producer(void *arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&mutex);
    while (items == CAPACITY)
      pthread_cond_wait(&notFull, &mutex);
    items++;
    pthread_cond_signal(&notEmpty);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
#ifdef USE_IF
  if (items == 0)
    pthread_cond_wait(&notEmpty, &mutex);
#else
  while (items == 0)
    pthread_cond_wait(&notEmpty, &mutex);
#endif
  assert(items > 0);
  items--;
  pthread_cond_signal(&notFull);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
#ifdef PERMUTE
  pthread_create(&c, NULL, consumer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_create(&a, NULL, producer, NULL);
#else
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_create(&c, NULL, consumer, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  assert(items == 0);
  return 0;
}

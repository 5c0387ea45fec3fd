// Producer and consumer over two slots with counting semaphores: values arrive whole and in order.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define SLOTS 2
#define ITEMS 3

sem_t empty, full;
int buffer[SLOTS];

static void *producer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    sem_wait(&empty);
    buffer[i % SLOTS] = i + 1;
    sem_post(&full);
  }
  return NULL;
}

static void *consumer(void *arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; i++) {
    sem_wait(&full);
    assert(buffer[i % SLOTS] == i + 1);
    sem_post(&empty);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  sem_init(&empty, 0, SLOTS);
  sem_init(&full, 0, 0);
#ifdef PERMUTE
  pthread_create(&b, NULL, consumer, NULL);
  pthread_create(&a, NULL, producer, NULL);
#else
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

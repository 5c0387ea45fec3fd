// A semaphore says that data is there. WRONG: it is posted too early.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static int data;
static sem_t there;

static void *first(void *arg) {
#ifdef WRONG
  sem_post(&there);
  data = 1;
#else
  data = 1;
  sem_post(&there);
#endif
  return arg;
}

static void *second(void *arg) {
  sem_wait(&there);
  data++;
  return arg;
}

int main(void) {
  pthread_t a, b;
  sem_init(&there, 0, 0);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

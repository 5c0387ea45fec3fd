// Thread-local variables are not shared: whatever the threads do to them, there is one execution.
#include <assert.h>
#include <pthread.h>

_Thread_local int counter = 5;

static void *thread(void *arg) {
  for (long i = 0; i < (long)arg; i++)
    counter++;
  assert(counter == 5 + (int)(long)arg);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, (void *)2);
  pthread_create(&b, NULL, thread, (void *)3);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 5);
  return 0;
}

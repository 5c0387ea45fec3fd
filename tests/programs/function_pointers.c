// Calls through function pointers in a table and in a structure, under a mutex.
#include <assert.h>
#include <pthread.h>

typedef int (*operation)(int);

static int increment(int x) { return x + 1; }
static int doubled(int x) { return 2 * x; }

struct task {
  const char *name;
  operation apply;
};

const struct task tasks[] = {{"increment", increment}, {"doubled", doubled}};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int value = 1;

static void *thread(void *arg) {
  const struct task *task = arg;
  pthread_mutex_lock(&mutex);
  value = task->apply(value);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, thread, (void *)&tasks[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(value == 4 || value == 3);
  return 0;
}

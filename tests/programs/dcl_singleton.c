// Double-checked locking: whoever sees the pointer does not lock. Threads ask for the object again and again, without
// end, and read what it holds. Without a barrier in front of the pointer, PSO and POWER show the object before it is made.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef FENCED
#define PUBLISH() __sync_synchronize()
#else
#define PUBLISH()
#endif

struct singleton {
  volatile int first, second;
};

static struct singleton *volatile instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct singleton *get(void) {
  struct singleton *known = instance;
  if (known)
    return known;
  pthread_mutex_lock(&mutex);
  if (!instance) {
    struct singleton *made = malloc(sizeof *made);
    made->first = 1;
    made->second = 2;
    PUBLISH();
    instance = made;
  }
  pthread_mutex_unlock(&mutex);
  return instance;
}

static void *use(void *arg) {
  while (1) {
    struct singleton *s = get();
    assert(s->first == 1 && s->second == 2);
  }
  return arg;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, use, NULL);
  pthread_create(&a, NULL, use, NULL);
#else
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, use, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// An object is made when it is first needed. WRONG: the first look is plain.
#include <pthread.h>
#include <stdatomic.h>

struct object {
  int field;
};

static struct object the_object;
#ifdef WRONG
static struct object *instance;
#define LOOK() instance
#define PUBLISH(p) (instance = (p))
#else
static _Atomic(struct object *) instance;
#define LOOK() atomic_load_explicit(&instance, memory_order_acquire)
#define PUBLISH(p) atomic_store_explicit(&instance, p, memory_order_release)
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
  struct object *p = LOOK();
  if (!p) {
    pthread_mutex_lock(&lock);
    p = LOOK();
    if (!p) {
      the_object.field = 3;
      p = &the_object;
      PUBLISH(p);
    }
    pthread_mutex_unlock(&lock);
  }
  return p->field;
}

static void *first(void *arg) { return get() == 3 ? arg : NULL; }
static void *second(void *arg) { return get() == 3 ? arg : NULL; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

// main joins a thread, does one more thing and ends, while others go on. What comes of that comes after the join.
// -DCREATES: it creates another thread. -DJOINED: another thread joins main.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t self;

static void *writer(void *arg) {
  atomic_store(&x, 1);
  return arg;
}

static void *reader(void *arg) {
  atomic_load_explicit(&x, memory_order_relaxed);
  return arg;
}

#ifdef CREATES
static void *after(void *arg) {
  assert(atomic_load(&x) == 1);
  return arg;
}
static void *any_time(void *arg) {
  assert(atomic_load(&x) == 1); // bug
  return arg;
}
static void *creator(void *arg) {
  pthread_t d;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_create(&d, NULL, any_time, NULL);
  return arg;
}
#endif

#ifdef JOINED
static void *joiner(void *arg) {
  pthread_join(self, NULL);
  assert(atomic_load(&x) == 1);
  return arg;
}
#endif

int main(void) {
  pthread_t a, b, c;
  self = pthread_self();
#ifdef JOINED
  pthread_create(&c, NULL, joiner, NULL);
#endif
#ifdef CREATES
  pthread_create(&b, NULL, creator, NULL);
#else
  pthread_create(&b, NULL, reader, NULL);
#endif
  pthread_create(&a, NULL, writer, NULL);
  pthread_join(a, NULL);
#ifdef CREATES
  pthread_create(&c, NULL, after, NULL);
#endif
#if !defined CREATES && !defined JOINED
  (void)c;
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  return 0;
#else
  pthread_exit(NULL);
#endif
}

// Lock-free publication of a record: right under TSO; PSO needs a release store (RELEASE) or an sfence (FENCED).
#include <assert.h>
#include <pthread.h>

struct record {
  int value;
};

struct record storage;
struct record *volatile published;

static void *publisher(void *arg) {
  (void)arg;
  storage.value = 42;
#ifdef RELEASE
  __atomic_store_n(&published, &storage, __ATOMIC_RELEASE);
#else
#ifdef FENCED
  __asm__ volatile("sfence" ::: "memory");
#endif
  published = &storage;
#endif
  return NULL;
}

static void *user(void *arg) {
  (void)arg;
  struct record *record = published;
  if (record != NULL)
    assert(record->value == 42);
  return NULL;
}

int main(void) {
  pthread_t a, b;
#ifdef PERMUTE
  pthread_create(&b, NULL, user, NULL);
  pthread_create(&a, NULL, publisher, NULL);
#else
  pthread_create(&a, NULL, publisher, NULL);
  pthread_create(&b, NULL, user, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

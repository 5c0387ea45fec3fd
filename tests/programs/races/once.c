// Something is made once, by pthread_once. WRONG: by a plain flag.
#include <pthread.h>
#include <stdatomic.h>

static int made, table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) { table = 5; }

static int use(void) {
#ifdef WRONG
  if (!made) {
    make();
    made = 1;
  }
#else
  (void)made;
  pthread_once(&once, make);
#endif
  return table;
}

static void *first(void *arg) { return use() == 5 ? arg : NULL; }
static void *second(void *arg) { return use() == 5 ? arg : NULL; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

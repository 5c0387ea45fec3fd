// C11 condition variable and call_once: the waiter goes on only after the one initialisation.
#include <assert.h>
#include <threads.h>

once_flag once = ONCE_FLAG_INIT;
mtx_t mutex;
cnd_t changed;
int ready, initialised;

static void initialise(void) { initialised++; }

static int waiter(void *arg) {
  (void)arg;
  mtx_lock(&mutex);
  while (!ready)
    cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  call_once(&once, initialise);
  assert(initialised == 1);
  return 0;
}

int main(void) {
  thrd_t a;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  thrd_create(&a, waiter, NULL);
  call_once(&once, initialise);
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&mutex);
  thrd_join(a, NULL);
  return 0;
}

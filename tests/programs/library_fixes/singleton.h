// An object that is made when it is first asked for. The bug: its pointer is stored with relaxed order.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct service {
  int port;
};
static struct service *_Atomic the_service;
static pthread_mutex_t service_lock = PTHREAD_MUTEX_INITIALIZER;
static struct service service_memory;

static struct service *service_get(void) {
  struct service *s = atomic_load_explicit(&the_service, memory_order_acquire);
  if (s)
    return s;
  pthread_mutex_lock(&service_lock);
  s = atomic_load_explicit(&the_service, memory_order_relaxed);
  if (!s) {
    s = &service_memory;
    s->port = 80;
    atomic_store_explicit(&the_service, s, memory_order_relaxed);
  }
  pthread_mutex_unlock(&service_lock);
  return s;
}

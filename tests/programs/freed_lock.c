// A lock in a heap block that is freed. Not every execution locks it, so that its end may be all that is known of it.
// -DSPIN: a spinlock, of the size of an int; -DRACY: it may be freed before.
// -DLATE: a semaphore that is waited for when it is gone, while another one is at zero.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

volatile int flag;

#ifdef LATE

sem_t other, *freed;

void *waiter(void *p) {
  sem_wait(&other);
  return p;
}
void *poster(void *p) {
  sem_post(freed);
  flag = 1;
  sem_post(&other);
  return p;
}
void *ender(void *p) {
  while (!flag)
    ;
  free(freed);
  return p;
}
void *late(void *p) {
  while (!flag)
    ;
  sem_wait(freed);
  return p;
}

int main(void) {
  pthread_t t[4];
  freed = malloc(sizeof *freed);
  sem_init(freed, 0, 0);
  sem_init(&other, 0, 0);
  pthread_create(&t[0], 0, waiter, 0);
  pthread_create(&t[1], 0, poster, 0);
  pthread_create(&t[2], 0, ender, 0);
  pthread_create(&t[3], 0, late, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], 0);
}

#else

#ifdef SPIN
#define LOCK pthread_spinlock_t
#define INIT(l) pthread_spin_init(l, 0)
#define ENTER(l) pthread_spin_lock(l)
#define LEAVE(l) pthread_spin_unlock(l)
#else
#define LOCK pthread_mutex_t
#define INIT(l) pthread_mutex_init(l, 0)
#define ENTER(l) pthread_mutex_lock(l)
#define LEAVE(l) pthread_mutex_unlock(l)
#endif

struct Counter {
  LOCK lock;
  int count;
} *counter;

void *user(void *p) {
  if (flag) {
    ENTER(&counter->lock);
    counter->count++;
    LEAVE(&counter->lock);
  }
  return p;
}
void *setter(void *p) {
  flag = 1;
  return p;
}

#ifdef RACY
void *ender(void *p) {
  free(counter);
  return p;
}
#endif

int main(void) {
  pthread_t t[3];
  counter = malloc(sizeof *counter);
  INIT(&counter->lock);
  counter->count = 7;
  pthread_create(&t[0], 0, user, 0);
  pthread_create(&t[1], 0, setter, 0);
#ifdef RACY
  pthread_create(&t[2], 0, ender, 0);
  pthread_join(t[2], 0);
#endif
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
#ifndef RACY
  free(counter);
#endif
}

#endif

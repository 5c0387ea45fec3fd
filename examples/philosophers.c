// Deadlock: three philosophers, three forks, and every philosopher takes the left fork first.
#include <pthread.h>

#define SEATS 3
pthread_mutex_t fork_at[SEATS];

void *philosopher(void *arg) {
  long seat = (long)arg;
  pthread_mutex_lock(&fork_at[seat]);
  pthread_mutex_lock(&fork_at[(seat + 1) % SEATS]);
  pthread_mutex_unlock(&fork_at[(seat + 1) % SEATS]);
  pthread_mutex_unlock(&fork_at[seat]);
  return 0;
}

int main(void) {
  pthread_t at[SEATS];
  for (long i = 0; i < SEATS; ++i)
    pthread_mutex_init(&fork_at[i], 0);
  for (long i = 0; i < SEATS; ++i)
    pthread_create(&at[i], 0, philosopher, (void *)i);
  for (int i = 0; i < SEATS; ++i)
    pthread_join(at[i], 0);
  return 0;
}

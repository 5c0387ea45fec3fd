// Threads put numbers into a hash table, each place under its own mutex. Which of them come to the same place depends on the
// numbers, so that only running the program shows where there are races: the first eleven threads never meet.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 13
#endif
#define SIZE 128
#define INSERTIONS 4

static volatile int table[SIZE];
static pthread_mutex_t locks[SIZE];

static int swap_if_free(int place, int value) {
  int done = 0;
  pthread_mutex_lock(&locks[place]);
  if (table[place] == 0) {
    table[place] = value;
    done = 1;
  }
  pthread_mutex_unlock(&locks[place]);
  return done;
}

static void *insert(void *arg) {
  int me = (int)(long)arg;
  for (int k = 1; k <= INSERTIONS; k++) {
    int value = k * 11 + me, place = value * 7 % SIZE, tries = 0;
    while (!swap_if_free(place, value)) {
      place = (place + 1) % SIZE;
      assert(++tries < SIZE);
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < SIZE; i++)
    pthread_mutex_init(&locks[i], NULL);
  for (long i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, insert, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  int found = 0;
  for (int i = 0; i < SIZE; i++)
    found += table[i] != 0;
  assert(found == N * INSERTIONS);
  return 0;
}

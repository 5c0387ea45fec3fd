// Threads put numbers into a hash table, each entry under its own mutex. Which of them come to the same entry depends
// on the numbers, so that only running the program shows where there are races. HANDED: a thread reads its number from
// where main writes the next one, so that two of them may have the same. Otherwise, with 128 entries, the first eleven
// threads never meet, and with N threads beyond that there are 8^(N - 11) executions.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef SIZE
#define SIZE 8
#endif
#define INSERTIONS 4

static volatile int table[SIZE];
static pthread_mutex_t locks[SIZE];

static int put(int entry, int value) {
  int done = 0;
  pthread_mutex_lock(&locks[entry]);
  if (table[entry] == 0) {
    table[entry] = value;
    done = 1;
  }
  pthread_mutex_unlock(&locks[entry]);
  return done;
}

static void *insert(void *arg) {
#ifdef HANDED
  int me = *(volatile int *)arg;
#else
  int me = (int)(long)arg;
#endif
  for (int k = 1; k <= INSERTIONS; k++) {
    int value = k * 11 + me, entry = value * 7 % SIZE;
    assert(entry >= 0);
    while (!put(entry, value))
      entry = (entry + 1) % SIZE;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < SIZE; i++)
    pthread_mutex_init(&locks[i], NULL);
#ifdef HANDED
  volatile int number;
  for (int i = 0; i < N; i++) {
    number = i;
    pthread_create(&threads[i], NULL, insert, (void *)&number);
  }
#else
  for (long i = 0; i < N; i++)
    pthread_create(&threads[i], NULL, insert, (void *)i);
#endif
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

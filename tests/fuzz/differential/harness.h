// The two ways in which a program of the differential tests runs. It has defined THREADS, bodies[THREADS], reset() and
// finalState(). Checked: main runs the threads once and fails at another assertion for each number that the
// final state has, so that an exhaustive check tells all of them. -DBACKWARDS creates the threads in the other order. Native (-DNATIVE): the threads run again and again, and the
// numbers that were seen are printed.
#include <assert.h>
#include <stdlib.h>

#define NUMBERS 128

static unsigned number(void) {
  unsigned h = finalState() * 2654435761u;
  return (h >> 16 ^ h >> 3) % NUMBERS;
}

#ifdef NATIVE

#include <sched.h>
#include <stdio.h>
#include <time.h>

static atomic_uint generation, arrived, finished;
static atomic_int over;

static void spin(atomic_uint *counter, unsigned wanted) {
  for (unsigned turns = 0; atomic_load(counter) != wanted; ++turns)
    if (turns > 200) // more threads than cores
      sched_yield();
}

/// All begin at about the same time: as far apart as chance wants it.
static void runOnce(long thread, unsigned *chance) {
  atomic_fetch_add(&arrived, 1);
  spin(&arrived, THREADS);
  *chance = *chance * 1103515245 + 12345;
  for (volatile unsigned wait = (*chance >> 16) % 8 ? (*chance >> 20) % 64 : (*chance >> 20) % 1024; wait; --wait)
    ;
  bodies[thread](0);
}

static void *runAgain(void *argument) {
  const long thread = (long)argument;
  unsigned chance = (unsigned)thread * 77 + 1;
  for (unsigned next = 1;; ++next) {
    spin(&generation, next);
    if (atomic_load(&over))
      return 0;
    runOnce(thread, &chance);
    atomic_fetch_add(&finished, 1);
  }
}

/// The only argument: for how many milliseconds.
int main(int argc, char **argv) {
  static unsigned long seen[NUMBERS];
  pthread_t threads[THREADS];
  struct timespec start, now;
  unsigned chance = 99;
  const long limit = argc > 1 ? atol(argv[1]) : 100;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (long k = 1; k < THREADS; ++k)
    pthread_create(&threads[k], 0, runAgain, (void *)k);
  for (unsigned round = 1;; ++round) {
    reset();
    atomic_store(&arrived, 0);
    atomic_store(&finished, 0);
    atomic_store(&generation, round);
    runOnce(0, &chance);
    spin(&finished, THREADS - 1);
    ++seen[number()];
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < limit)
      continue;
    atomic_store(&over, 1);
    atomic_store(&generation, round + 1);
    break;
  }
  for (long k = 1; k < THREADS; ++k)
    pthread_join(threads[k], 0);
  for (unsigned k = 0; k < NUMBERS; ++k)
    if (seen[k])
      printf("%u %lu\n", k, seen[k]);
  return 0;
}

#else

int main(void) {
  pthread_t threads[THREADS];
  for (int k = 0; k < THREADS; ++k) {
#ifdef BACKWARDS
    const int which = THREADS - 1 - k;
#else
    const int which = k;
#endif
    pthread_create(&threads[which], 0, bodies[which], 0);
  }
  for (int k = 0; k < THREADS; ++k)
    pthread_join(threads[k], 0);
  const unsigned finalNumber = number();
  assert(finalNumber != 0);
  assert(finalNumber != 1);
  assert(finalNumber != 2);
  assert(finalNumber != 3);
  assert(finalNumber != 4);
  assert(finalNumber != 5);
  assert(finalNumber != 6);
  assert(finalNumber != 7);
  assert(finalNumber != 8);
  assert(finalNumber != 9);
  assert(finalNumber != 10);
  assert(finalNumber != 11);
  assert(finalNumber != 12);
  assert(finalNumber != 13);
  assert(finalNumber != 14);
  assert(finalNumber != 15);
  assert(finalNumber != 16);
  assert(finalNumber != 17);
  assert(finalNumber != 18);
  assert(finalNumber != 19);
  assert(finalNumber != 20);
  assert(finalNumber != 21);
  assert(finalNumber != 22);
  assert(finalNumber != 23);
  assert(finalNumber != 24);
  assert(finalNumber != 25);
  assert(finalNumber != 26);
  assert(finalNumber != 27);
  assert(finalNumber != 28);
  assert(finalNumber != 29);
  assert(finalNumber != 30);
  assert(finalNumber != 31);
  assert(finalNumber != 32);
  assert(finalNumber != 33);
  assert(finalNumber != 34);
  assert(finalNumber != 35);
  assert(finalNumber != 36);
  assert(finalNumber != 37);
  assert(finalNumber != 38);
  assert(finalNumber != 39);
  assert(finalNumber != 40);
  assert(finalNumber != 41);
  assert(finalNumber != 42);
  assert(finalNumber != 43);
  assert(finalNumber != 44);
  assert(finalNumber != 45);
  assert(finalNumber != 46);
  assert(finalNumber != 47);
  assert(finalNumber != 48);
  assert(finalNumber != 49);
  assert(finalNumber != 50);
  assert(finalNumber != 51);
  assert(finalNumber != 52);
  assert(finalNumber != 53);
  assert(finalNumber != 54);
  assert(finalNumber != 55);
  assert(finalNumber != 56);
  assert(finalNumber != 57);
  assert(finalNumber != 58);
  assert(finalNumber != 59);
  assert(finalNumber != 60);
  assert(finalNumber != 61);
  assert(finalNumber != 62);
  assert(finalNumber != 63);
  assert(finalNumber != 64);
  assert(finalNumber != 65);
  assert(finalNumber != 66);
  assert(finalNumber != 67);
  assert(finalNumber != 68);
  assert(finalNumber != 69);
  assert(finalNumber != 70);
  assert(finalNumber != 71);
  assert(finalNumber != 72);
  assert(finalNumber != 73);
  assert(finalNumber != 74);
  assert(finalNumber != 75);
  assert(finalNumber != 76);
  assert(finalNumber != 77);
  assert(finalNumber != 78);
  assert(finalNumber != 79);
  assert(finalNumber != 80);
  assert(finalNumber != 81);
  assert(finalNumber != 82);
  assert(finalNumber != 83);
  assert(finalNumber != 84);
  assert(finalNumber != 85);
  assert(finalNumber != 86);
  assert(finalNumber != 87);
  assert(finalNumber != 88);
  assert(finalNumber != 89);
  assert(finalNumber != 90);
  assert(finalNumber != 91);
  assert(finalNumber != 92);
  assert(finalNumber != 93);
  assert(finalNumber != 94);
  assert(finalNumber != 95);
  assert(finalNumber != 96);
  assert(finalNumber != 97);
  assert(finalNumber != 98);
  assert(finalNumber != 99);
  assert(finalNumber != 100);
  assert(finalNumber != 101);
  assert(finalNumber != 102);
  assert(finalNumber != 103);
  assert(finalNumber != 104);
  assert(finalNumber != 105);
  assert(finalNumber != 106);
  assert(finalNumber != 107);
  assert(finalNumber != 108);
  assert(finalNumber != 109);
  assert(finalNumber != 110);
  assert(finalNumber != 111);
  assert(finalNumber != 112);
  assert(finalNumber != 113);
  assert(finalNumber != 114);
  assert(finalNumber != 115);
  assert(finalNumber != 116);
  assert(finalNumber != 117);
  assert(finalNumber != 118);
  assert(finalNumber != 119);
  assert(finalNumber != 120);
  assert(finalNumber != 121);
  assert(finalNumber != 122);
  assert(finalNumber != 123);
  assert(finalNumber != 124);
  assert(finalNumber != 125);
  assert(finalNumber != 126);
  assert(finalNumber != 127);
  return 0;
}

#endif

// Programs for the tests, and places in them.

/** Two threads that must not both read 0. Wrong under TSO and PSO, unless a fence stands between store and load. */
export function storeBuffering({ fence = "", before = "" } = {}) {
  return `#include <assert.h>
#include <pthread.h>
volatile int x, y;
int a, b;
void *left(void *unused) {
  ${before}x = 1;
  ${fence}
  ${before}a = y;
  return unused;
}
void *right(void *unused) {
  y = 1;
  ${fence}
  b = x;
  return unused;
}
int main(void) {
  pthread_t l, r;
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  ${before}assert(a || b);
  return 0;
}
`;
}
export const Buggy = storeBuffering();
export const Fixed = storeBuffering({ fence: "__sync_synchronize();" });

/** Two threads that take and leave a lock for ever. */
export const SpinForEver = `#include <assert.h>
#include <pthread.h>
volatile int lock, critical;
void *thread(void *me) {
  for (;;) {
    while (__sync_lock_test_and_set(&lock, 1))
      ;
    critical = (int)(long)me;
    assert(critical == (int)(long)me);
    __sync_lock_release(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, thread, (void *)1);
  pthread_create(&b, 0, thread, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
`;

/** n threads write one variable: n! executions. With 9 some seconds of work, with 11 more than a test waits for. */
export function writers(n, condition = "x != 0") {
  return `#include <assert.h>
#include <pthread.h>
volatile int x;
void *writer(void *value) {
  x = (int)(long)value;
  return 0;
}
int main(void) {
  pthread_t t[${n}];
  for (long i = 0; i < ${n}; ++i)
    pthread_create(&t[i], 0, writer, (void *)(i + 1));
  for (int i = 0; i < ${n}; ++i)
    pthread_join(t[i], 0);
  assert(${condition});
  return 0;
}
`;
}
/** Keeps a worker busy for minutes. */
export const Endless = writers(11);
/** Has a bug too, but it takes many seconds to get there. */
export const EndlessBuggy = writers(12, "x != 1");

/** Line (from 0) of the first line that contains the text. */
export function lineOf(source, text) {
  const line = source.split("\n").findIndex((candidate) => candidate.includes(text));
  if (line < 0) throw new Error(`no line has ${text}`);
  return line;
}

/** Position of a piece of text, in UTF-16 units as most editors count. */
export function positionOf(source, text) {
  const line = lineOf(source, text);
  return { line, character: source.split("\n")[line].indexOf(text) };
}

// Programs for the tests, and places in them.
import { readFileSync } from "node:fs";
import path from "node:path";

export function example(name) {
  return readFileSync(path.join(process.env.PICKET_SOURCE_DIR, "examples", name), "utf8");
}

/**
 * Before programs with volatile variables that are not about data races. Nothing else on the line moves, since nobody asks for columns
 * in an #include.
 */
export const VolatileIsAtomic = "/* picket: volatile=relaxed */ ";

/** Two threads that must not both read 0. Wrong under TSO and PSO, unless a fence stands between store and load. */
export function storeBuffering({ fence = "", before = "" } = {}) {
  return `${VolatileIsAtomic}#include <assert.h>
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

/** Litmus idioms and textbook programs that fences repair. */
export const Textbook = {
  "dekker.c": example("dekker.c"),
  "store-buffering.c": Buggy,
  "message_passing.c": example("message_passing.c"),
  "peterson.c": `${VolatileIsAtomic}#include <assert.h>
#include <pthread.h>
volatile int flag[2], turn, inside;
void *enter(void *p) {
  int me = (int)(long)p;
  flag[me] = 1;
  turn = 1 - me;
  while (flag[1 - me] && turn == 1 - me)
    ;
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
  flag[me] = 0;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, enter, (void *)0);
  pthread_create(&b, 0, enter, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
`,
};

/** Two threads that take and leave a lock for ever. */
export const SpinForEver = `${VolatileIsAtomic}#include <assert.h>
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
  return `${VolatileIsAtomic}#include <assert.h>
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

/**
 * Message passing with the given orders: relaxed ones are wrong under PSO and all weaker models, a relaxed load under ARM64, POWER and C11
 * only. The message is atomic, so that there is no data race.
 */
export function messagePassing({ store = "relaxed", load = "relaxed" } = {}) {
  return example("message_passing.c")
    .replace("int message;", "atomic_int message;")
    .replace("message = 42;", "atomic_store_explicit(&message, 42, memory_order_relaxed);")
    .replace("message == 42", "atomic_load_explicit(&message, memory_order_relaxed) == 42")
    .replace("&ready, 1, memory_order_relaxed", `&ready, 1, memory_order_${store}`)
    .replace("&ready, memory_order_relaxed", `&ready, memory_order_${load}`);
}

/** Two threads that read each other's store before it is made: under ARM64 and POWER. */
export const LoadBuffering = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
void *left(void *p) {
  a = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return p;
}
void *right(void *p) {
  b = atomic_load_explicit(&y, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t l, r;
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  assert(!(a && b));
  return 0;
}
`;

/** Two readers with acquire loads that see two stores in different orders: only under POWER. */
export const Iriw = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b, c, d;
void *first(void *p) { atomic_store_explicit(&x, 1, memory_order_release); return p; }
void *second(void *p) { atomic_store_explicit(&y, 1, memory_order_release); return p; }
void *left(void *p) {
  a = atomic_load_explicit(&x, memory_order_acquire);
  b = atomic_load_explicit(&y, memory_order_acquire);
  return p;
}
void *right(void *p) {
  c = atomic_load_explicit(&y, memory_order_acquire);
  d = atomic_load_explicit(&x, memory_order_acquire);
  return p;
}
int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, left, 0);
  pthread_create(&t[3], 0, right, 0);
  for (int i = 0; i < 4; ++i)
    pthread_join(t[i], 0);
  assert(!(a && !b && c && !d));
  return 0;
}
`;

/** Over in a moment under SC, TSO and PSO; under the others the reader has 2^24 ways to read. With a condition that can fail it does so under TSO. */
export function slowAsGraphs(condition = "1") {
  return `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x[24], a, b;
int r, s, seen;
void *writer(void *p) {
  for (int i = 0; i < 24; ++i)
    atomic_store_explicit(&x[i], 1, memory_order_release);
  atomic_store_explicit(&a, 1, memory_order_relaxed);
  r = atomic_load_explicit(&b, memory_order_relaxed);
  return p;
}
void *reader(void *p) {
  atomic_store_explicit(&b, 1, memory_order_relaxed);
  s = atomic_load_explicit(&a, memory_order_relaxed);
  for (int i = 24; i-- > 0;)
    seen += atomic_load_explicit(&x[i], memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t w, q;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&q, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(q, 0);
  assert(${condition});
  return 0;
}
`;
}

/** An atomic access that is not aligned, which ARM64, POWER and C11 refuse. The message may come late under PSO. */
export const NotForGraphs = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Alignas(8) char bytes[8];
int message;
void *producer(void *p) {
  message = 42;
  atomic_store_explicit((atomic_int *)((uintptr_t)bytes + 1), 1, memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  if (atomic_load_explicit((atomic_char *)(bytes + 1), memory_order_relaxed))
    assert(message == 42);
  pthread_join(t, 0);
  return 0;
}
`;

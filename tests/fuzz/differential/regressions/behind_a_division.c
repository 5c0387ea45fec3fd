// Under POWER, what came behind a division whose operand was not known yet was not seen by others.
// states: sc=2 tso=2 pso=2 power=2
// seed 3072, any
#define THREADS 2
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair { int left, right; };
struct cell { atomic_char small; volatile short middle; atomic_llong large; };
struct node { volatile int value; struct node *next; };

static atomic_int a, b, c;
static volatile int v, w;
static struct cell s;
static atomic_int row[2];
static union { atomic_uint all; atomic_uchar part[4]; } mixed;
static atomic_int *_Atomic where;
static struct node *_Atomic head;
static struct node *volatile published;
static atomic_int flags[THREADS];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static struct pair guarded, kept;
static int counted, ready, shared;
static unsigned seen[THREADS];

static int bump(atomic_int *at, int by) { return atomic_fetch_add_explicit(at, by, memory_order_relaxed); }
static void swap(struct pair *p) { struct pair q = *p; p->left = q.right; p->right = q.left; }

static void *thread0(void *unused) {
  unsigned r = 0;
  struct node *node9 = published;
  if (node9)
    r = r * 5 + (unsigned)(node9->value);
  seen[0] = r;
  return unused;
}

static void *thread1(void *unused) {
  unsigned r = 0;
  struct node *node1 = calloc(1, sizeof *node1);
  node1->value = (int)(r % 3) + 1;
  r = r * 5 + (unsigned)(node1->value);
  free(node1);
  static struct node node3;
  node3.value = (int)(r % 3) + 1;
  published = &node3;
  seen[1] = r;
  return unused;
}

static void *(*const bodies[THREADS])(void *) = {thread0, thread1};

static void reset(void) {
  a = b = c = 0, v = w = 0, row[0] = row[1] = 0, s.small = 0, s.middle = 0, s.large = 0, mixed.all = 0;
  where = 0, published = 0, counted = ready = shared = 0;
  for (struct node *next, *at = head; at; at = next)
    next = at->next, free(at);
  head = 0;
  guarded = kept = (struct pair){0, 0};
  for (int k = 0; k < THREADS; ++k)
    seen[k] = 0, flags[k] = 0;
}

static unsigned finalState(void) {
  unsigned h = 17;
#define ADD(x) h = h * 31 + (unsigned)(x)
  for (int k = 0; k < THREADS; ++k)
    ADD(seen[k]);
  ADD(a), ADD(b), ADD(c), ADD(v), ADD(w), ADD(row[0]), ADD(row[1]), ADD(s.small), ADD(s.middle), ADD(s.large);
  ADD(mixed.all), ADD(guarded.left), ADD(guarded.right), ADD(kept.left), ADD(kept.right), ADD(counted), ADD(shared);
  ADD(where == &a ? 1 : where == &b ? 2 : 0);
  for (struct node *at = head; at; at = at->next)
    ADD(at->value);
  return h;
}

#include "harness.h"

"""Random well-formed concurrent C programs. A seed gives the same program on every machine.

Every value a thread reads goes into its number r, and r and all shared variables into the final state. Threads end: what a
thread waits for, a thread with a lower number does in any case, and no lock is held meanwhile. Plain variables are used
under their lock only, so that what a compiler makes of the program is no more than what the text says.
"""
import random
from dataclasses import dataclass, field

LOAD_ORDERS = ["relaxed", "acquire", "seq_cst"]
STORE_ORDERS = ["relaxed", "release", "seq_cst"]
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]

DECLARATIONS = """\
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
"""

RESET = """\
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
"""


@dataclass
class Program:
    seed: int
    kind: str
    threads: list = field(default_factory=list)  # of lists of statements

    def text(self):
        parts = [f"// seed {self.seed}, {self.kind}\n#define THREADS {len(self.threads)}\n", DECLARATIONS]
        for number, statements in enumerate(self.threads):
            body = "".join(f"  {line}\n" for statement in statements for line in statement.split("\n"))
            parts.append(f"\nstatic void *thread{number}(void *unused) {{\n  unsigned r = 0;\n{body}"
                         f"  seen[{number}] = r;\n  return unused;\n}}\n")
        names = ", ".join(f"thread{number}" for number in range(len(self.threads)))
        parts.append(f"\nstatic void *(*const bodies[THREADS])(void *) = {{{names}}};\n\n{RESET}\n#include \"harness.h\"\n")
        return "".join(parts)


class Generator:
    """kind: "any"; "alike": nothing that is stronger under POWER than elsewhere, and nothing POWER does not have;
    "ordered": free of data races, and sequentially consistent."""

    def __init__(self, seed, kind):
        self.random = random.Random(f"{seed} {kind}")
        self.program = Program(seed, kind)
        self.kind = kind
        self.names = 0

    def generate(self):
        threads = self.random.choice([2, 2, 2, 3, 3, 4])
        length = {2: 5, 3: 4, 4: 2}[threads]
        # Few subjects in a program, so that threads meet.
        everything = self.ordered_subjects() if self.kind == "ordered" else self.all_subjects()
        self.subjects = self.random.sample(everything, self.random.choice([1, 1, 2, 3]))
        self.places = self.random.choice([["a", "b"], ["a", "b", "c"], ["a", "row[r & 1]"]])
        crossing = self.kind != "ordered" and self.random.random() < 0.5
        self.waits = self.random.random() < 0.2
        self.awaited = set()
        bodies = []
        for number in reversed(range(threads)):  # the later ones wait for the earlier ones
            statements = [self.statement(2) for _ in range(self.random.randint(1 if crossing else 2, length))]
            if crossing:  # where store buffers are bound to show
                at = self.random.randint(0, len(statements))
                statements[at:at] = [self.store(self.places[number % 2]), self.load(self.places[1 - number % 2])]
                del statements[length:]
            if self.waits and number and self.random.random() < 0.6:
                other = self.random.randrange(number)
                self.awaited.add(other)
                statements.insert(self.random.randint(0, len(statements)), self.wait(other))
            if number in self.awaited:
                statements.insert(self.random.randint(0, len(statements)), self.tell(number))
            bodies.append(statements)
        self.program.threads = bodies[::-1]
        return self.program

    # Choices.

    def pick(self, options):
        return self.random.choice(options)

    def order(self, orders):
        if self.kind == "ordered":
            return "memory_order_seq_cst"
        if self.kind == "alike" and orders is LOAD_ORDERS:
            orders = orders[:2]  # a sequentially consistent load has a fence under POWER only
        return "memory_order_" + self.pick([orders[0]] * len(orders) + orders)  # relaxed ones show most

    def value(self):
        return self.pick(["1", "2", "3", "(int)(r & 1) + 1", "(int)(r % 3) + 1"])

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def all_subjects(self):
        return [self.atomics] * 5 + [self.volatiles] * 3 + [self.builtins] * 2 + [
            self.cells, self.pointers, self.stack, self.publication, self.mutex, self.spinlock, self.rwlock,
            self.atomics if self.kind == "alike" else self.mixed_sizes]

    def ordered_subjects(self):
        return [self.atomics, self.atomics, self.mutex, self.mutex, self.spinlock, self.rwlock, self.pointers]

    # Statements.

    def statement(self, depth):
        chance = self.random.random()
        if depth and chance < 0.12:
            other = f" else {{\n{self.statement(depth - 1)}\n}}" if self.random.random() < 0.5 else ""
            condition = self.pick([f"atomic_load_explicit(&{self.atomic()}, {self.order(LOAD_ORDERS)}) == 1", "r % 2", "r"])
            return f"{self.pick(self.subjects)()}\nif ({condition}) {{\n{self.statement(depth - 1)}\n}}{other}"
        if depth and chance < 0.2:
            k = self.name("k")
            return f"for (int {k} = 0; {k} < 2; ++{k}) {{\n{self.statement(depth - 1)}\nr += (unsigned){k};\n}}"
        if chance < 0.28 and self.kind != "ordered":
            return self.fence()
        return self.pick(self.subjects)()

    def fence(self):
        return self.pick([f"atomic_thread_fence(memory_order_{self.pick(ORDERS[1:])});", "__sync_synchronize();",
                          '__asm__ volatile("mfence" ::: "memory");', '__asm__ volatile("" ::: "memory");'])

    def read(self, expression):
        return f"r = r * 5 + (unsigned)({expression});"

    def atomic(self):
        return self.pick(self.places)

    def atomics(self):
        at = self.atomic()
        return self.pick([self.load] * 3 + [self.store] * 3 + [self.change, self.compare, self.retry])(at)

    def load(self, at):
        return self.read(f"atomic_load_explicit(&{at}, {self.order(LOAD_ORDERS)})")

    def store(self, at):
        return f"atomic_store_explicit(&{at}, {self.value()}, {self.order(STORE_ORDERS)});"

    def change(self, at):
        operation = self.pick(["exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "fetch_and"])
        call = f"atomic_{operation}_explicit(&{at}, {self.value()}, {self.order(ORDERS)})"
        return self.pick([self.read(call), f"{call};"])

    def compare(self, at):
        old = self.name("old")
        return (f"int {old} = {self.pick('012')};\n"
                + self.read(f"atomic_compare_exchange_strong_explicit(&{at}, &{old}, {self.value()}, "
                            f"{self.order(ORDERS)}, {self.order(LOAD_ORDERS)})") + f"\n{self.read(old)}")

    def retry(self, at):
        old = self.name("old")
        return (f"int {old} = atomic_load_explicit(&{at}, {self.order(LOAD_ORDERS)});\n"
                f"while (!atomic_compare_exchange_strong_explicit(&{at}, &{old}, {old} * 2 + 1, {self.order(ORDERS)}, "
                f"{self.order(LOAD_ORDERS)}))\n  ;\n{self.read(old)}")

    def volatiles(self):
        at = self.pick("vw")
        return self.pick([self.read(at)] * 2 + [f"{at} = {self.value()};"] * 2 + [f"{at} = {at} + 1;"])

    def cells(self):
        at = self.name("at")
        large = f"atomic_fetch_add_explicit(&s.large, 1ll << 33, {self.order(ORDERS)})"
        return self.pick([self.read("s.middle"), f"s.middle = (short)({self.value()});", self.read(f"{large} >> 33"),
                          f"atomic_store_explicit(&s.small, (char)({self.value()}), {self.order(STORE_ORDERS)});",
                          self.read(f"atomic_load_explicit(&s.small, {self.order(LOAD_ORDERS)})"),
                          f"struct cell *{at} = &s;\n{at}->middle = 2;\n"
                          + self.read(f"atomic_load_explicit(&s.small, {self.order(LOAD_ORDERS)})")])

    def builtins(self):
        return self.pick([self.read("__sync_fetch_and_add(&v, 1)"), self.read("__sync_val_compare_and_swap(&v, 0, 2)"),
                          self.read("__sync_lock_test_and_set(&w, 3)"), "__sync_lock_release(&w);",
                          "__atomic_store_n(&v, 2, __ATOMIC_RELEASE);", self.read("__atomic_load_n(&w, __ATOMIC_ACQUIRE)"),
                          self.read("__atomic_add_fetch(&w, 1, __ATOMIC_ACQ_REL)"), self.read("bump(&a, 2)")])

    def mixed_sizes(self):
        return self.pick([f"atomic_store_explicit(&mixed.part[{self.pick('0123')}], {self.pick('123')}, {self.order(STORE_ORDERS)});",
                          self.read(f"atomic_load_explicit(&mixed.part[{self.pick('0123')}], {self.order(LOAD_ORDERS)})"),
                          self.read(f"atomic_load_explicit(&mixed.all, {self.order(LOAD_ORDERS)})"),
                          f"atomic_store_explicit(&mixed.all, 0x04030201u * {self.pick('12')}, {self.order(STORE_ORDERS)});",
                          self.read(f"atomic_fetch_add_explicit(&mixed.all, 0x01000001u, {self.order(ORDERS)})")])

    def pointers(self):
        p = self.name("p")
        get = f"atomic_int *{p} = atomic_load_explicit(&where, {self.order(LOAD_ORDERS)});\n"
        return self.pick([f"atomic_store_explicit(&where, &{self.pick('ab')}, {self.order(STORE_ORDERS)});",
                          get + f"if ({p})\n  " + self.load(f"*{p}"), get + f"if ({p})\n  " + self.store(f"*{p}"),
                          get + f"if ({p})\n  r += (unsigned)bump({p}, 1);", self.load("a"), self.store("b")])

    def stack(self):
        node = self.name("node")
        push = (f"struct node *{node} = malloc(sizeof *{node});\n{node}->value = {self.value()};\n"
                f"{node}->next = atomic_load_explicit(&head, {self.order(LOAD_ORDERS)});\n"
                f"while (!atomic_compare_exchange_strong_explicit(&head, &{node}->next, {node}, {self.order(ORDERS)}, "
                f"{self.order(LOAD_ORDERS)}))\n  ;")
        look = (f"struct node *{node} = atomic_load_explicit(&head, {self.order(LOAD_ORDERS)});\n"
                f"if ({node})\n  {self.read(f'{node}->value')}")
        return self.pick([push, look])

    def publication(self):
        node = self.name("node")
        own = (f"struct node *{node} = calloc(1, sizeof *{node});\n{node}->value = {self.value()};\n"
               f"{self.read(f'{node}->value')}\nfree({node});")
        give = f"static struct node {node};\n{node}.value = {self.value()};\npublished = &{node};"
        look = f"struct node *{node} = published;\nif ({node})\n  {self.read(f'{node}->value')}"
        return self.pick([own, give, look, look])

    def section(self, names):
        pair, number = names
        copy = self.name("copy")
        steps = [f"{pair}.left += {self.value()};", self.read(f"{pair}.right"), f"{number} = {number} * 2 + 1;", self.read(number)]
        if self.kind != "alike":  # POWER has no copies of several fields at once
            steps += [f"swap(&{pair});", f"struct pair {copy} = {pair};\n{copy}.right++;\n{pair} = {copy};"]
        return "\n".join(self.random.sample(steps, self.random.randint(1, 2)))

    def mutex(self):
        held = self.name("held")
        return self.pick([
            f"pthread_mutex_lock(&m);\n{self.section(('guarded', 'counted'))}\npthread_mutex_unlock(&m);",
            f"pthread_mutex_lock(&m);\npthread_mutex_lock(&n);\nkept.left = guarded.left;\nguarded.left++;\n"
            f"pthread_mutex_unlock(&n);\npthread_mutex_unlock(&m);",
            f"pthread_mutex_lock(&n);\n{self.read('kept.left')}\npthread_mutex_unlock(&n);",
            f"int {held} = pthread_mutex_trylock(&m) == 0;\n{self.read(held)}\n"
            f"if ({held}) {{\n{self.section(('guarded', 'counted'))}\npthread_mutex_unlock(&m);\n}}"])

    def spinlock(self):
        return ("while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))\n  ;\n"
                f"shared = shared * 2 + {self.value()};\n{self.read('shared')}\n"
                "atomic_flag_clear_explicit(&busy, memory_order_release);")

    def rwlock(self):
        return self.pick([f"pthread_rwlock_rdlock(&rw);\n{self.read('kept.right')}\npthread_rwlock_unlock(&rw);",
                          "pthread_rwlock_wrlock(&rw);\nkept.right = kept.right * 2 + 1;\npthread_rwlock_unlock(&rw);"])

    # Waiting for another thread. Both ways of telling are always taken, as are both of waiting.

    def tell(self, number):
        return (f"atomic_store_explicit(&flags[{number}], 1, {self.order(STORE_ORDERS)});\n"
                + (f"pthread_mutex_lock(&m);\nready |= 1 << {number};\n"
                   "pthread_cond_broadcast(&told);\npthread_mutex_unlock(&m);" if self.uses_conditions() else ""))

    def wait(self, other):
        if self.uses_conditions() and self.random.random() < 0.5:
            return (f"pthread_mutex_lock(&m);\nwhile (!(ready >> {other} & 1))\n  pthread_cond_wait(&told, &m);\n"
                    "pthread_mutex_unlock(&m);")
        return f"while (!atomic_load_explicit(&flags[{other}], {self.order(LOAD_ORDERS)}))\n  ;"

    def uses_conditions(self):
        return self.mutex in self.subjects


def generate(seed, kind):
    return Generator(seed, kind).generate()


if __name__ == "__main__":
    import sys
    print(generate(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "any").text(), end="")

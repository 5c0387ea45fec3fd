"""Times checks of long executions under POWER; see power-length."""
import re
import resource
import subprocess
import sys
import tempfile

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"

# Two threads that hand data to each other, each time through other locations. Six accesses a round.
MESSAGES = HEAD + """
enum { N = %d };
int data[N];
atomic_int there[N], back[N];
static void *sender(void *unused) {
  for (int i = 0; i < N; i++) {
    data[i] = i + 1;
    atomic_store_explicit(&there[i], 1, memory_order_release);
    while (!atomic_load_explicit(&back[i], memory_order_acquire));
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  for (int i = 0; i < N; i++) {
    while (!atomic_load_explicit(&there[i], memory_order_acquire));
    assert(data[i] == i + 1);
    atomic_store_explicit(&back[i], 1, memory_order_release);
  }
  pthread_join(t, 0);
}
"""

# A counter behind one lock. Six accesses a round.
LOCKS = HEAD + """
enum { N = %d };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
static void *worker(void *unused) {
  for (int i = 0; i < N; i++) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
  assert(count == N);
}
"""

# Long rows of plain stores and loads, and one message at the end. Four accesses a round.
PLAIN = HEAD + """
enum { N = %d };
int a[N], b[N];
atomic_int done;
static void *writer(void *unused) {
  for (int i = 0; i < N; i++)
    a[i] = i;
  for (int i = 0; i < N; i++)
    b[i] = a[i];
  atomic_store_explicit(&done, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  while (!atomic_load_explicit(&done, memory_order_acquire));
  for (int i = 0; i < N; i++)
    assert(b[i] == i);
  pthread_join(t, 0);
}
"""

# Words that are written whole and read byte by byte, and one message in between. Five accesses a round.
SIZES = HEAD + """
enum { N = %d };
union { int word; unsigned char byte[4]; } a[N];
atomic_int done;
static void *writer(void *unused) {
  for (int i = 0; i < N; i++)
    a[i].word = i;
  atomic_store_explicit(&done, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  while (!atomic_load_explicit(&done, memory_order_acquire));
  for (int i = 0; i < N; i++)
    assert(a[i].byte[0] + 256 * a[i].byte[1] + 65536 * a[i].byte[2] + a[i].byte[3] == i);
  pthread_join(t, 0);
}
"""

SHAPES = [("messages", MESSAGES, 6), ("locks", LOCKS, 6), ("plain", PLAIN, 4), ("sizes", SIZES, 5)]


def seconds(picket, text):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(text)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([picket, "check", "--model", "power", file.name], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 or not re.search(r"\b1 execution\b", done.stdout + done.stderr):
        sys.exit(f"not verified with one execution:\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    picket, lengths = sys.argv[1], [int(n) for n in sys.argv[2:]]
    print("| program | accesses | seconds | microseconds per access |")
    print("|---|---|---|---|")
    for name, text, per_round in SHAPES:
        start = seconds(picket, text % 1)  # the compiler's part
        for length in lengths:
            took = max(seconds(picket, text % (length // per_round)) - start, 0)
            print(f"| {name} | {length} | {took:.2f} | {took / length * 1e6:.0f} |", flush=True)


main()

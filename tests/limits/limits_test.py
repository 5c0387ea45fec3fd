#!/usr/bin/env python3
"""Limits of time and memory (within 5 %) on programs that run away: limits_test.py PICKET.

A busy machine must not make these fail: time is the processor's, of which a process that keeps to its deadline never uses more than has passed,
and both are compared to what a program costs that is soon explored."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PICKET = os.path.abspath(sys.argv.pop(1))
HEAD = "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nvolatile int x, y;\npthread_mutex_t m;\n"
MAIN = """
int main(void) {
  pthread_t t[%d];
  for (long i = 0; i < %d; ++i) pthread_create(&t[i], 0, run, (void *)(i + 1));
  for (int i = 0; i < %d; ++i) pthread_join(t[i], 0);
  return 0;
}
"""


def program(body, threads):
    return f"{HEAD}void *run(void *p) {{ {body} return 0; }}\n{MAIN % (threads, threads, threads)}"


# Each with the models it runs away under.
SMALL = program("x = 1;", 1)
MANY_EXECUTIONS = program("x = (int)(long)p; y = x;", 6)
ONE_LONG_EXECUTION = program("for (int i = 0; i < 2000000000; ++i) { pthread_mutex_lock(&m); x = i; pthread_mutex_unlock(&m); }", 2)
ALLOCATIONS = program("for (int i = 0; i < 100000; ++i) { char *m = malloc(1 << 16); m[0] = (char)x; x = m[0] + 1; }", 2)
LONG_BETWEEN_STEPS = program("char own[1 << 12]; for (int i = 0; i < 2000000000; ++i) memset(own, i, sizeof own); x = own[1];", 2)

# States that never come to an end: many small ones, ones with much in them, and few with much between them.
MANY_STATES = program("for (;;) { x = (x + (int)(long)p) % 3000; y = (y * 5 + x) % 3001; }", 2)
LARGE_STATES = program("static volatile char a[1 << 16]; for (unsigned i = 0;; ++i) a[i * 7 % sizeof a] = (char)(x = (x + 1) % 100);", 2)
LONG_STEPS = program("for (;;) { x = x + 1; y = x; }", 1)
ROBUST_STATES = program("for (;;) { pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); }", 2)

# Executions that take up much once the first thread is late. Two workers are then both among these.
LATE_ALLOCATIONS = program("""
  int before = x;
  x = 1;
  y = (int)(long)p;
  if (before && (long)p == 1)
    for (int i = 0; i < 12; ++i) *(char *)malloc(1 << 20) = 1;""", 5)


# Loops that no other thread ends: one that reads what it has stored itself, one that only stores, threads without end.
OWN_LOOP = program("for (;;) { __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); if (__atomic_load_n(&x, __ATOMIC_SEQ_CST) == 2) break; }", 1)
OWN_STORES = program("for (int i = 0; i < 2000000000; ++i) __atomic_store_n(&x, i, __ATOMIC_SEQ_CST);", 1)
BUFFERED_STORES = program("for (int i = 0; i < 2000000000; ++i) x = i;", 2)
THREADS = f"{HEAD}void *run(void *p) {{ return p; }}\nint main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, run, 0); }}\n"
CHAIN_OF_THREADS = f"{HEAD}void *run(void *p) {{ pthread_t t; pthread_create(&t, 0, run, 0); return p; }}\nint main(void) {{ run(0); return 0; }}\n"


class Use:
    """What a run of the checker took."""

    def __init__(self, *arguments, command="check"):
        read, write = os.pipe()
        # One process, so that the largest is the one that explores.
        process = subprocess.Popen([PICKET, command, *arguments], stdout=write, stderr=subprocess.DEVNULL, env={**os.environ, "PICKET_UNCONFINED": "1"})
        os.close(write)
        with os.fdopen(read) as pipe:
            self.output = pipe.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.code, self.seconds, self.bytes = process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


class Limits(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = os.path.join(directory.name, "program.c")

    def write(self, text):
        with open(self.file, "w") as file:
            file.write(text)

    def check(self, text, *options, jobs=1):
        self.write(SMALL)
        compiled = Use("--jobs", "1", "--json", "--model", "sc", self.file)
        self.write(text)
        use = Use("--jobs", str(jobs), "--json", *options, self.file)
        (model,) = json.loads(use.output)["models"]
        return compiled, use, model

    def expect_time(self, name, text, model, limit=1.0):
        compiled, use, answer = self.check(text, "--model", model, "--volatile=relaxed", "--timeout", f"{limit}s", "--max-memory", "8G")
        spent = use.seconds - compiled.seconds
        print(f"time: {name} under {model}: {spent * 1000:.0f} ms of {limit * 1000:.0f} ms, {answer['seconds'] * 1000:.0f} ms by the clock")
        self.assertEqual((answer["verdict"], use.code), ("inconclusive", 4))
        self.assertIn("time limit", answer["reason"])
        self.assertGreaterEqual(answer["seconds"], limit)
        self.assertLessEqual(spent, limit + 0.3)  # 0.1 where nothing else runs

    def expect_memory(self, name, text, model, limit, *options, jobs=1):
        compiled, use, answer = self.check(
            text, "--model", model, "--timeout", "1h", "--max-memory", f"{limit}M", "--unroll", "1000000", *options, jobs=jobs)
        self.assertEqual((answer["verdict"], use.code), ("inconclusive", 4))
        self.assertRegex(answer["reason"], "memory|allocates more")
        self.expect_within(f"{name} under {model}", compiled, use, limit, answer["reason"])

    def expect_within(self, name, compiled, use, limit, reason):
        spent = (use.bytes - compiled.bytes) / (1 << 20)
        print(f"memory: {name}: {spent:.0f} MiB of {limit} MiB; {reason}")
        self.assertLessEqual(spent, limit * 1.05)
        self.assertGreaterEqual(spent, limit * 0.25)  # it is a limit that was reached, and not something else

    def test_time(self):
        for model in ("sc", "tso", "pso", "armv8", "power", "c11"):
            self.expect_time("many executions", MANY_EXECUTIONS, model)
        for model in ("sc", "tso", "pso"):  # graphs of that many accesses take long
            self.expect_time("one long execution", ONE_LONG_EXECUTION, model)
            self.expect_time("long between two steps", LONG_BETWEEN_STEPS, model, 0.1)  # before the limit of steps

    def test_memory(self):
        for model in ("sc", "tso", "pso"):
            self.expect_memory("one long execution", ONE_LONG_EXECUTION, model, 128)
            self.expect_memory("allocations", ALLOCATIONS, model, 128)

    def test_models_side_by_side_share_the_memory(self):
        self.write(SMALL)
        compiled = Use("--jobs", "1", "--json", "--model", "sc", self.file)
        self.write(ONE_LONG_EXECUTION)
        use = Use("--jobs", "2", "--json", "--model", "sc,tso", "--no-monitor", "--engine", "bounded", "--max-memory", "128M", "--unroll", "1000000", self.file)
        answers = json.loads(use.output)["models"]
        self.assertEqual({answer["verdict"] for answer in answers}, {"inconclusive"})
        self.expect_within("two models side by side", compiled, use, 128, answers[0]["reason"])

    def test_all_models_share_the_memory(self):
        # Those that are explored as graphs run beside the others.
        self.write(SMALL)
        compiled = Use("--jobs", "2", "--json", self.file)
        self.write(ALLOCATIONS)
        use = Use("--jobs", "2", "--json", "--volatile=relaxed", "--no-monitor", "--engine", "bounded", "--max-memory", "192M", "--unroll", "1000000", self.file)
        answers = json.loads(use.output)["models"]
        self.assertEqual([answer["verdict"] for answer in answers], ["inconclusive"] * 6)
        self.expect_within("all models", compiled, use, 192, answers[0]["reason"])

    def expect_little(self, name, text, model, verdict, *options):
        compiled, use, answer = self.check(text, "--model", model, "--engine", "bounded", "--timeout", "60s", "--max-memory", "256M", *options)
        spent = (use.bytes - compiled.bytes) / (1 << 20)
        print(f"memory: {name} under {model}: {answer['verdict']}, {spent:.0f} MiB")
        self.assertEqual(answer["verdict"], verdict)
        self.assertLessEqual(spent, 256 * 1.05)

    def test_limits_of_exploring(self):
        for model in ("sc", "tso", "pso", "armv8", "power", "c11"):
            self.expect_little("a loop of its own", OWN_LOOP, model, "bounded")
            self.expect_little("threads without end", THREADS, model, "bounded")
            self.expect_little("threads that create threads", CHAIN_OF_THREADS, model, "inconclusive")
        for model in ("tso", "pso"):
            self.expect_time("stores of its own", OWN_STORES, model, 0.3)
            self.expect_little("stores without end", BUFFERED_STORES, model, "inconclusive")

    def test_memory_of_states(self):
        # Just above what tables had when they grew: the next size is too large.
        for model in ("sc", "tso"):
            for limit in (70, 112):
                self.expect_memory("many states", MANY_STATES, model, limit, "--engine", "lazy")
                self.expect_memory("large states", LARGE_STATES, model, limit, "--engine", "lazy")
            self.expect_memory("long steps", LONG_STEPS, model, 70, "--engine", "lazy")

    def test_memory_of_robustness(self):
        self.write(SMALL)
        compiled = Use("--json", self.file, command="robust")
        self.write(ROBUST_STATES)
        use = Use("--json", "--engine", "lazy", "--model", "tso", "--max-memory", "112M", "--timeout", "1h", self.file, command="robust")
        (answer,) = json.loads(use.output)["models"]
        self.assertEqual(use.code, 4)
        self.assertEqual(answer["reason"], "the memory limit was reached")
        self.expect_within("robustness", compiled, use, 112, answer["reason"])

    def test_memory_of_workers(self):
        # One has enough with 30 MiB: half of what two of them need.
        self.expect_memory("two workers", LATE_ALLOCATIONS, "sc", 40, "--no-monitor", jobs=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)

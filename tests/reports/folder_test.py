#!/usr/bin/env python3
"""folder_test.py PICKET VALIDATOR: `picket test` from outside: which programs it finds, what it says of them, its files, its
cache, and how it ends."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET

PICKET = VALIDATOR = None

# Message passing; ORDER decides whether PSO breaks it.
PASSING = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER memory_order_release
#endif
int data;
atomic_int ready;
void *writer(void *unused) {
  data = 42;
  atomic_store_explicit(&ready, 1, ORDER);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (atomic_load_explicit(&ready, memory_order_acquire))
    assert(data == 42);
  pthread_join(t, 0);
}
"""
RIGHT = PASSING
WRONG = "#define ORDER memory_order_relaxed\n" + PASSING
BROKEN = PASSING.replace("data = 42;", "data = missing;")
UNSUPPORTED = PASSING.replace("data = 42;", "data = unknown();").replace("int data;", "int data; int unknown(void);")
QUEUE = '#include <stdatomic.h>\n#include "queue.h"\nint data;\natomic_int full;\nvoid put(void) { data = 42; full = PUT; }\n'
HEADER = "#define PUT 1\nvoid put(void);\nextern int data;\nextern _Atomic int full;\n"
QUEUE_TEST = """// picket: with=queue.c
#include <assert.h>
#include <pthread.h>
#include "queue.h"
void *producer(void *unused) { put(); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  if (full)
    assert(data == 42);
  pthread_join(t, 0);
}
"""
ENDLESS = """#include <pthread.h>
#include <stdatomic.h>
atomic_int x[6];
void *f(void *p) {
  for (int k = 0; k < 60; ++k)
    atomic_fetch_add(&x[k % 6], k + (int)(long)p);
  return 0;
}
int main(void) {
  pthread_t t[6];
  for (long k = 0; k < 6; ++k)
    pthread_create(&t[k], 0, f, (void *)k);
  for (int k = 0; k < 6; ++k)
    pthread_join(t[k], 0);
}
"""


class Folder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.root = os.path.join(self.scratch.name, "project")
        self.caches = os.path.join(self.scratch.name, "cache")
        os.mkdir(self.root)

    def tearDown(self):
        self.scratch.cleanup()

    def write(self, name, text, mode="w"):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode) as file:
            file.write(text)

    def environment(self):
        return dict(os.environ, XDG_CACHE_HOME=self.caches, NO_COLOR="")

    def check_folder(self, *arguments, code=0):
        done = subprocess.run([PICKET, "test", *arguments], cwd=self.root, env=self.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="surrogateescape", timeout=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def lines(self, done):
        """The line of each program, without its time."""
        return [re.sub(r" · [0-9.]+ s$", "", line) for line in done.stdout.splitlines() if re.match(r"\S+ .* · ", line)
                and " program" not in line]

    def results(self):
        folder = os.path.join(self.caches, "picket", "results")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)) if os.path.isdir(folder) else []

    def project(self):
        self.write("right.c", RIGHT)
        self.write("tests/wrong.c", WRONG)
        self.write("tests/broken.c", BROKEN)
        self.write("tests/unsupported.c", UNSUPPORTED)
        self.write("queue/queue.h", HEADER)
        self.write("queue/queue.c", QUEUE)
        self.write("queue/test_queue.c", QUEUE_TEST)
        self.write("tools/single.c", "int main(void) { return 0; }\n")
        self.write("library.c", "int f(void) { return 0; }\n")
        self.write("build/generated.c", WRONG)

    def test_every_program_has_a_line(self):
        self.project()
        done = self.check_folder("--model", "sc,pso", code=1)
        self.assertEqual([re.sub(" +", " ", line) for line in self.lines(done)], [
            "queue/test_queue.c SC ✓ PSO ✓", "right.c SC ✓ PSO ✓", "tests/broken.c does not compile",
            "tests/unsupported.c cannot be checked", "tests/wrong.c SC ✓ PSO ✗"])
        self.assertIn("5 programs: 2 passed, 1 failed, 2 cannot be checked · ", done.stdout)
        self.assertIn("1 other file with 'main' starts no threads", done.stdout)
        # Reports of those that fail, as of `picket check --quiet`.
        self.assertIn("tests/wrong.c:19:5: error: assertion failed", done.stdout)
        self.assertIn("tests/broken.c:10:10: error: use of undeclared identifier 'missing'", done.stdout)
        self.assertIn("call to 'unknown'", done.stdout)
        self.assertNotIn("right.c: SC", done.stdout)
        self.assertNotIn("test_queue.c: SC", done.stdout)
        self.assertNotIn("\033", done.stdout)
        for report in ("tests/wrong.c", "tests/unsupported.c"):
            check = subprocess.run([PICKET, "check", "-q", "--model", "sc,pso", report], cwd=self.root, capture_output=True,
                                   text=True)
            self.assertIn(check.stdout, done.stdout)

    def test_exit_codes(self):
        self.project()
        self.write("endless/endless.c", ENDLESS)
        self.check_folder("--model", "pso", "right.c")
        self.check_folder("--model", "pso", "queue")
        self.check_folder("--model", "pso", "right.c", "tests/wrong.c", "tests/broken.c", code=1)
        self.check_folder("--model", "sc", "tests", code=3)
        self.check_folder("--model", "sc", "right.c", "tests/unsupported.c", code=3)
        limited = self.check_folder("--model", "sc", "--timeout", "200ms", "--engine", "bounded", "endless", code=4)
        self.assertIn("SC ?", limited.stdout)
        self.check_folder("--model", "none", code=2)
        self.check_folder("--cat-arch", "x86", code=2)
        self.assertIn("cannot read 'nowhere'", self.check_folder("nowhere", code=2).stderr)
        self.assertIn("cannot write", self.check_folder("right.c", "--junit", "nowhere/x.xml", code=2).stderr)

    def test_a_folder_without_programs(self):
        os.mkdir(os.path.join(self.root, "empty"))
        self.write("tools/single.c", "int main(void) { return 0; }\n")
        self.assertIn("no programs found in 'empty'", self.check_folder("empty", code=2).stderr)
        done = self.check_folder("tools", code=2)
        self.assertIn("no programs found in 'tools'", done.stderr)
        self.assertIn("1 other file with 'main' starts no threads", done.stdout)
        # A file that is named is checked.
        self.assertIn("1 program: 1 passed", self.check_folder("tools/single.c").stdout)

    def test_paths_are_shown_as_they_were_given(self):
        self.write("a/right.c", RIGHT)
        for path, shown in ((".", "a/right.c"), ("a", "a/right.c"), ("a/", "a/right.c"), ("./a/../a", "a/right.c"),
                            ("../project/a", "../project/a/right.c"), (self.root, self.root + "/a/right.c")):
            self.assertEqual(self.lines(self.check_folder("--model", "sc", path))[0].split("  ")[0], shown)
        self.assertEqual(len(self.lines(self.check_folder("--model", "sc", ".", "a", "a/right.c"))), 1)

    def test_settings_are_those_of_a_check(self):
        self.write("wrong.c", WRONG)
        self.write("said.c", "// picket: models=tso\n" + WRONG)
        self.write("flags/compile_commands.json", json.dumps([{"directory": self.root + "/flags", "file": "passing.c",
                                                             "command": "cc -DORDER=memory_order_relaxed -c passing.c"}]))
        self.write("flags/passing.c", PASSING)
        self.write("flags/.picket.toml", 'models = ["pso"]\n')
        self.write(".picket.toml", 'models = ["sc"]\nnonsense = 1\n')
        done = self.check_folder(code=1)
        self.assertEqual([re.sub(" +", " ", line) for line in self.lines(done)],
                         ["flags/passing.c PSO ✗", "said.c TSO ✓", "wrong.c SC ✓"])
        self.assertEqual(done.stderr.count("nonsense"), 1, "a warning of several programs is told once")

    def test_unchanged_programs_come_from_the_cache(self):
        self.project()
        before = {line.split()[0]: line for line in self.lines(self.check_folder("--model", "sc,pso", code=1))}
        done = self.check_folder("--model", "sc,pso", code=1)
        cached = {line.split()[0] for line in self.lines(done) if line.endswith(" · cached")}
        self.assertEqual(cached, {"queue/test_queue.c", "right.c", "tests/unsupported.c", "tests/wrong.c"})
        self.assertIn("(4 cached)", done.stdout)
        self.assertIn("tests/wrong.c:19:5: error: assertion failed", done.stdout)
        self.assertEqual({line.split()[0]: line.replace(" · cached", "") for line in self.lines(done)}, before)
        self.assertNotIn("cached", self.check_folder("--model", "sc,pso", "--no-cache", code=1).stdout)
        # The repository is as it was.
        self.assertEqual(sorted(os.listdir(self.root)), ["build", "library.c", "queue", "right.c", "tests", "tools"])
        self.assertEqual(sorted(os.listdir(self.root + "/queue")), ["queue.c", "queue.h", "test_queue.c"])

    def is_cached(self, *arguments, code=0):
        line, = self.lines(self.check_folder("--model", "pso", *arguments, code=code))
        return line.endswith(" · cached")

    def test_what_changes_an_answer_misses_the_cache(self):
        self.project()
        self.assertFalse(self.is_cached("queue"))
        self.assertTrue(self.is_cached("queue"))
        for name, text in (("queue.h", HEADER.replace("PUT 1", "PUT 2")),
                           ("queue.c", QUEUE.replace("data = 42", "data = 42 + 0 * full")),
                           ("test_queue.c", QUEUE_TEST.replace("if (full)", "if (full == PUT)"))):
            self.write("queue/" + name, text)
            self.assertFalse(self.is_cached("queue"), name)
            self.assertTrue(self.is_cached("queue"), name)
        for option in (["--unroll", "5"], ["--no-spurious"], ["--checks", "assertion"], ["-DX=1"], ["--timeout", "99s"]):
            self.assertFalse(self.is_cached("queue", *option), option)
            self.assertTrue(self.is_cached("queue", *option), option)
        self.assertTrue(self.is_cached("queue"))
        # A comment at the end changes nothing; but a report quotes the text.
        self.write("right.c", "// at the end\n", mode="a")
        self.is_cached("right.c")
        self.write("right.c", "// again\n", mode="a")
        self.assertTrue(self.is_cached("right.c"))
        self.is_cached("tests/wrong.c", code=1)
        self.write("tests/wrong.c", WRONG.replace("assert(data == 42);", "assert(data == 42); // why"))
        self.assertFalse(self.is_cached("tests/wrong.c", code=1))

    def test_no_answer_is_not_cached(self):
        self.write("endless.c", ENDLESS)
        for _ in range(2):
            done = self.check_folder("--model", "sc", "--engine", "bounded", "--timeout", "200ms", code=4)
            self.assertNotIn("cached", done.stdout)
        self.assertEqual(self.results(), [])

    def test_damaged_files_of_the_cache_count_as_missing(self):
        self.write("right.c", RIGHT)
        self.assertFalse(self.is_cached("right.c"))
        entry, = self.results()
        with open(entry, "rb") as file:
            good = file.read()
        self.assertEqual(os.stat(os.path.dirname(entry)).st_mode & 0o777, 0o700)
        wrong = good.replace(b'"verified"', b'"violation"')
        self.assertNotEqual(wrong, good)
        for bad in (b"", b"\0" * 100, good[:-20], good[:len(good) // 2], wrong, b"[" * 100000, good + b"x"):
            with open(entry, "wb") as file:
                file.write(bad)
            self.assertFalse(self.is_cached("right.c"))
            with open(entry, "rb") as file:
                self.assertNotEqual(file.read(), bad, "it is written anew")
            self.assertTrue(self.is_cached("right.c"))
        os.remove(entry)
        os.mkfifo(entry)
        self.assertFalse(self.is_cached("right.c"))
        os.remove(entry)
        os.symlink("/dev/zero", entry)
        self.assertFalse(self.is_cached("right.c"))

    def test_a_cache_that_cannot_be_written_is_no_problem(self):
        self.write("right.c", RIGHT)
        with open(self.caches, "w"):
            pass
        self.assertFalse(self.is_cached("right.c"))
        self.assertFalse(self.is_cached("right.c"))

    def test_the_cache_is_bounded(self):
        self.write("right.c", RIGHT)
        self.is_cached("right.c")
        folder = os.path.dirname(self.results()[0])
        for number in range(4200):
            path = f"{folder}/{number}.result"
            with open(path, "w") as file:
                file.write("old")
            os.utime(path, (number, number))
        with open(folder + "/somebody's", "w"):
            pass
        self.assertTrue(self.is_cached("right.c"))
        left = [os.path.basename(path) for path in self.results()]
        self.assertLessEqual(len(left), 4096)
        self.assertIn("4199.result", left)
        self.assertNotIn("0.result", left)
        self.assertIn("somebody's", left)
        self.assertTrue(self.is_cached("right.c"), "the used ones are kept")

    def test_junit(self):
        self.project()
        for _ in range(2):  # the second time from the cache
            self.check_folder("--model", "sc,pso", "--junit", "out.xml", code=1)
            root = ET.parse(os.path.join(self.root, "out.xml")).getroot()
            counts = {key: int(root.get(key)) for key in ("tests", "failures", "errors", "skipped")}
            self.assertEqual(counts, {"tests": 10, "failures": 1, "errors": 4, "skipped": 0})
            suites = {suite.get("name"): suite for suite in root}
            self.assertEqual(len(suites), 5)
            self.assertEqual([case.get("name") for case in suites["right.c"].iter("testcase")], ["SC", "PSO"])
            failure, = suites["tests/wrong.c"].iter("failure")
            self.assertRegex(failure.get("message"),
                             r"^tests/wrong\.c:19:5: assertion failed: .* \[assertion\] in thread 'main'$")
            self.assertIn("violation (found in ", failure.text)
            self.assertEqual({error.get("type") for error in suites["tests/broken.c"].iter("error")}, {"compile-error"})
            for suite in root:
                self.assertEqual(int(suite.get("tests")), len(list(suite.iter("testcase"))))
        self.assertEqual(len(list(root.iter("property"))), 4)

    def test_sarif(self):
        self.project()
        self.write("other/wrong.c", WRONG.replace("int data;", "\nint data;"))
        logs = []
        for _ in range(2):
            self.check_folder("--model", "sc,pso", "--sarif", "out.sarif", code=1)
            if VALIDATOR:
                subprocess.run(["node", VALIDATOR, os.path.join(self.root, "out.sarif")], check=True)
            with open(os.path.join(self.root, "out.sarif"), encoding="utf-8") as file:
                logs.append(json.load(file))
        self.assertEqual(*logs)
        run, = logs[0]["runs"]
        lines = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run["results"]]
        self.assertEqual(lines, [20, 19])
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual(run["invocations"][0]["exitCode"], 1)
        places = []

        def collect(value):
            for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                collect(item)
            if isinstance(value, dict) and "artifactLocation" in value:
                places.append(value["artifactLocation"])

        collect(run["results"])
        collect(run["invocations"])
        self.assertTrue(places)
        for place in places:
            self.assertEqual(run["artifacts"][place["index"]]["location"]["uri"], place["uri"])
        self.assertTrue(run["results"][0]["codeFlows"])

    def test_hostile_names(self):
        names = ["-x.c", "a b.c", "new\nline.c", "esc\033[2J\033]0;title\a.c", "<&\">.c", "ü.c", "$(touch hacked).c", "%s%n.c"]
        for name in names:
            self.write(name, WRONG)
        with open(os.path.join(os.fsencode(self.root), b"bad\xff.c"), "w") as file:
            file.write(WRONG)
        done = self.check_folder("--model", "pso", "--junit", "out.xml", "--sarif", "out.sarif", code=1)
        self.assertIn("9 programs: 9 failed", done.stdout)
        self.assertFalse(set(done.stdout) & set("\033\a\r"))
        self.assertIn("-x.c ", done.stdout)
        self.assertIn("new?line.c ", done.stdout)
        root = ET.parse(os.path.join(self.root, "out.xml")).getroot()
        self.assertEqual(len(root), 9)
        self.assertIn("<&\">.c", {suite.get("name") for suite in root})
        with open(os.path.join(self.root, "out.sarif"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["runs"][0]["results"]), 9)
        self.assertNotIn("hacked", os.listdir(self.root))

    def test_many_programs_side_by_side(self):
        for number in range(12):
            self.write(f"p{number:02}.c", (WRONG if number % 3 == 0 else RIGHT).replace("42", str(100 + number)))
        for jobs in ("1", "5"):
            done = self.check_folder("--no-cache", "--model", "pso", "-j", jobs, code=1)
            self.assertEqual([line.split()[0] for line in self.lines(done)], [f"p{number:02}.c" for number in range(12)])
            self.assertIn("12 programs: 8 passed, 4 failed", done.stdout)

    def test_interrupted(self):
        self.write("a_right.c", RIGHT)
        self.write("b_endless.c", ENDLESS)
        self.write("c_right.c", RIGHT)
        process = subprocess.Popen([PICKET, "test", "-j", "1", "--model", "sc", "--engine", "bounded", "--junit", "out.xml"],
                                   cwd=self.root, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        first = process.stdout.readline()
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, first + out + err)
        self.assertIn("a_right.c", first)
        self.assertIn("b_endless.c", out)
        self.assertNotIn("c_right.c", out)
        self.assertIn("Cancelled: 1 of 3 programs not begun", out)
        self.assertIn("2 programs: 1 passed, 1 reached a limit", out)
        root = ET.parse(os.path.join(self.root, "out.xml")).getroot()
        self.assertEqual([(root.get("tests"), root.get("errors"), root.get("skipped"))], [("3", "1", "1")])
        self.assertEqual(len(self.results()), 1)

    def test_nobody_stays_behind_a_killed_command(self):
        self.write("endless.c", ENDLESS)
        process = subprocess.Popen([PICKET, "test", "--model", "sc", "--engine", "bounded"], cwd=self.root,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        time.sleep(3)
        process.kill()
        # The pipe ends when everybody who could write to it is gone.
        self.assertTrue(select.select([process.stdout], [], [], 30)[0])
        self.assertEqual(process.stdout.read(), b"")
        process.wait()
        process.stdout.close()

        def here(pid):
            try:
                return os.readlink(f"/proc/{pid}/cwd") == self.root
            except OSError:
                return False

        deadline = time.time() + 30
        while (left := [pid for pid in os.listdir("/proc") if pid.isdigit() and here(pid)]) and time.time() < deadline:
            time.sleep(0.1)
        self.assertEqual(left, [])

    def test_progress_on_a_terminal(self):
        self.write("endless.c", ENDLESS)
        self.write("wrong.c", WRONG)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.root)
            os.environ.update(XDG_CACHE_HOME=self.caches, TERM="xterm", NO_COLOR="")
            os.execv(PICKET, [PICKET, "test", "-j", "1", "--model", "pso", "--engine", "bounded", "--timeout", "2s"])
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 1)
        os.close(terminal)
        text = shown.decode()
        self.assertIn("\r\033[K0 of 2 done · endless.c", text)
        self.assertIn("1 of 2 done · wrong.c", text)
        self.assertRegex(text, r"PSO \033\[[0-9;]*31m✗\033\[0m")
        self.assertIn("2 programs: 1 failed, 1 reached a limit", text)

    def confined(self, command):
        """The processes behind the supervisor of the only program that is being checked; the last one checks it."""
        children = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    children.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(pid))
            except OSError:
                pass
        supervisor, = children[command]
        pending, found = list(children[supervisor]), []
        while pending:
            found.append(pending.pop())
            pending += children.get(found[-1], [])
        return found

    def test_a_lost_process_costs_its_program_only(self):
        self.write("endless.c", ENDLESS)
        self.write("right.c", RIGHT)
        process = subprocess.Popen([PICKET, "test", "-j", "1", "--model", "sc", "--engine", "bounded"], cwd=self.root,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(3)
        os.kill(self.confined(process.pid)[-1], signal.SIGSEGV)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, out)
        self.assertIn("endless.c: SC: cannot be checked: Picket crashed (signal 11", out)
        self.assertIn("2 programs: 1 passed, 1 cannot be checked", out)
        self.assertEqual(len(self.results()), 1, "a crash is not kept")

    def test_programs_are_confined(self):
        """The process that reads a program has Landlock or seccomp, and nothing new that it may write to."""
        self.write("endless.c", ENDLESS)
        process = subprocess.Popen([PICKET, "test", "--model", "sc", "--engine", "bounded", "--timeout", "20s"], cwd=self.root,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            time.sleep(3)
            confined = self.confined(process.pid)
            self.assertTrue(confined)
            for pid in confined:
                with open(f"/proc/{pid}/status") as file:
                    status = file.read()
                self.assertRegex(status, r"NoNewPrivs:\s*1")
                self.assertRegex(status, r"Seccomp:\s*2")
                for number in os.listdir(f"/proc/{pid}/fd"):
                    with open(f"/proc/{pid}/fdinfo/{number}") as file:
                        flags = int(re.search(r"flags:\s*(\d+)", file.read())[1], 8)
                    target = os.readlink(f"/proc/{pid}/fd/{number}")
                    writable = flags & os.O_ACCMODE != os.O_RDONLY
                    self.assertTrue(not writable or target.startswith(("pipe:", "socket:")), target)
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    PICKET = os.path.abspath(sys.argv[1])
    VALIDATOR = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].endswith(".mjs") else None
    unittest.main(argv=[sys.argv[0], *sys.argv[3 if VALIDATOR else 2:]])

#!/usr/bin/env python3
"""Limits of compiling, and processes in the terminal that can be ended: compiling_test.py PICKET.

No test depends on how fast the machine is: what is waited for is a state, and what has to end never would by itself."""
import ctypes
import errno
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PICKET = os.path.abspath(sys.argv.pop(1))
GOOD = "#include <pthread.h>\nint x;\nvoid *f(void *p) { x = 1; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n"
BUGGY = "#include <assert.h>\nint main(void) { assert(0); }\n"


def macro_bomb(text, use):
    """A program with a macro that stands for `text` a million million times."""
    macros = [f"#define A0 {' '.join([text] * 10)}\n"] + [f"#define A{n} {' '.join([f'A{n - 1}'] * 10)}\n" for n in range(1, 12)]
    return "".join(macros) + use + "\nint main(void) { return 0; }\n"


INCLUDE_BOMB = "#include __FILE__\n#include __FILE__\nint main(void) { return 0; }\n"


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as children:
                for child in children.read().split():
                    found += [int(child)] + descendants(int(child))
    except OSError:
        pass
    return found


def status(pid, key):
    try:
        with open(f"/proc/{pid}/status") as lines:
            return next((line.split()[1] for line in lines if line.startswith(key + ":")), None)
    except OSError:
        return None


def eventually(what, condition):
    """Waits for a state. A machine has minutes to come to it."""
    for _ in range(12000):
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("never happened: " + what)


class Base(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.environment = {**os.environ, "XDG_STATE_HOME": self.path("state")}

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def fifo(self):
        os.mkfifo(self.path("fifo.c"))
        return self.path("fifo.c")

    def run_picket(self, *arguments, **options):
        return subprocess.run([PICKET, *arguments], capture_output=True, text=True, timeout=300, env=self.environment, **options)

    def start(self, *arguments, **options):
        process = subprocess.Popen([PICKET, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def confined(self, process, number=2):
        """Its processes, once so many are confined: the one that stays behind and its copy."""
        return eventually("confined processes", lambda: (lambda found: found if len(found) >= number else None)(
            [pid for pid in descendants(process.pid) if status(pid, "Seccomp") == "2"]))


class LimitsOfCompiling(Base):
    def expect_limit(self, file, reason, *options):
        done = self.run_picket("check", "--json", "--timeout", "3s", *options, file)
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual({model["verdict"] for model in report["models"]}, {"inconclusive"})
        self.assertEqual({model["reason"] for model in report["models"]}, {reason + " while compiling"})

    def test_a_pipe_that_nobody_writes_to_is_given_up(self):
        self.expect_limit(self.fifo(), "the time limit was reached")

    def test_standard_input_that_does_not_come_is_given_up(self):
        read, write = os.pipe()
        with os.fdopen(read), os.fdopen(write, "w"):
            done = self.run_picket("check", "--json", "--timeout", "3s", "/dev/stdin", stdin=read)
        self.assertEqual((done.returncode, json.loads(done.stdout)["models"][0]["reason"]), (4, "the time limit was reached while compiling"))

    def test_standard_input_that_comes_is_checked(self):
        done = self.run_picket("check", "--json", "/dev/stdin", input=GOOD)
        self.assertEqual((done.returncode, json.loads(done.stdout)["models"][0]["verdict"]), (0, "verified"), done.stdout + done.stderr)

    def test_a_declaration_without_end_is_refused(self):
        done = self.run_picket("check", "--json", "--timeout", "60s", self.write("macro.c", macro_bomb("x", "int A11;")))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(json.loads(done.stdout)["models"][0]["reason"], "too long: it has more than 20000 tokens")

    def test_macros_without_end_are_given_up(self):
        done = self.run_picket("check", "--json", "--timeout", "3s", "--max-memory", "600M", self.write("macro.c", macro_bomb("int x;", "A11")))
        self.assertEqual(done.returncode, 4)
        self.assertRegex(json.loads(done.stdout)["models"][0]["reason"], "the (time|memory) limit was reached while compiling")

    def test_a_device_without_end_comes_to_one(self):
        done = self.run_picket("check", "--json", "--timeout", "60s", "--max-memory", "600M", self.write("zero.c", '#include "/dev/zero"\nint main(void) { return 0; }\n'))
        self.assertIn(done.returncode, (0, 3, 4), done.stdout)
        json.loads(done.stdout)

    def test_includes_without_end_come_to_one(self):
        done = self.run_picket("check", "--json", "--timeout", "3s", self.write("include.c", INCLUDE_BOMB))
        self.assertIn(done.returncode, (3, 4))
        json.loads(done.stdout)

    def test_a_settings_file_that_is_a_pipe_does_not_stop_anything(self):
        os.mkfifo(self.path(".picket.toml"))
        done = self.run_picket("check", "--json", self.write("good.c", GOOD))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_other_commands_are_ended_too(self):
        for command in (["check", "--fix"], ["check", "--relax", "--json"], ["robust", "--json"], ["check", "--dump-bytecode"]):
            with self.subTest(command=command):
                if os.path.exists(self.path("fifo.c")):
                    os.remove(self.path("fifo.c"))
                self.assertEqual(self.run_picket(*command, "--timeout", "3s", self.fifo()).returncode, 4)

    def test_one_file_costs_no_more_than_its_own_report(self):
        files = [self.write("bug.c", BUGGY), self.fifo(), self.write("good.c", GOOD)]
        done = self.run_picket("check", "--json", "--model", "sc", "--timeout", "3s", *files)
        self.assertEqual([report["models"][0]["verdict"] for report in json.loads(done.stdout)], ["violation", "inconclusive", "verified"])
        self.assertEqual(done.returncode, 1)

    def test_a_stack_overflow_is_told_in_few_words(self):
        text = "#include <pthread.h>\nvolatile int x;\nint g(int n);\nint f(int n) { return g(n + 1) + 1; }\nint g(int n) { return f(n + 1) + x; }\n" \
               "void *run(void *p) { x = 2; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); f(0); return 0; }\n"
        done = self.run_picket("check", "--json", "--model", "sc", self.write("deep.c", text))
        self.assertEqual(done.returncode, 1)
        self.assertLess(len(done.stdout), 200_000)
        callers = [event["callers"] for event in json.loads(done.stdout)["models"][0]["bugs"][0]["counterexample"]["events"] if event["callers"]]
        self.assertTrue(callers)
        self.assertTrue(any(caller["function"] == "(calls that are left out)" for stack in callers for caller in stack))

    def test_a_long_execution_is_not_written_into_files(self):
        text = "#include <pthread.h>\nvolatile int x;\nint f(int n) { x = n; return f(n + 1) + 1; }\n" \
               "void *run(void *p) { x = 2; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); f(0); return 0; }\n"
        file = self.write("deep.c", text)
        done = self.run_picket("check", "--json", "--model", "sc", file)
        bug = json.loads(done.stdout)["models"][0]["bugs"][0]
        self.assertLess(len(done.stdout), 10_000)
        self.assertGreater(bug["stepsLeftOut"], 90_000)
        done = self.run_picket("check", "--model", "sc", "--html", self.path("page.html"), file)
        self.assertEqual(done.returncode, 2)
        self.assertIn("more than 4000 steps", done.stderr)


class Processes(Base):
    def test_the_terminal_is_confined(self):
        process = self.start("check", self.fifo())
        for pid in self.confined(process):
            self.assertEqual(status(pid, "NoNewPrivs"), "1")
        self.assertEqual(status(process.pid, "Seccomp"), "0")

    def test_a_kernel_without_landlock_is_one_warning(self):
        def take_landlock_away():  # a filter: landlock_create_ruleset is not implemented
            libc = ctypes.CDLL(None, use_errno=True)
            rules = b"".join(struct.pack("HBBI", *rule) for rule in ((0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | errno.ENOSYS), (0x06, 0, 0, 0x7FFF0000)))
            buffer = ctypes.create_string_buffer(rules)
            program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer)))
            no_new_privileges, seccomp, as_filter = 38, 22, 2
            if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(seccomp, as_filter, program, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "no filters here")

        try:
            done = self.run_picket("check", "--model", "sc,tso", self.write("good.c", GOOD), self.write("more.c", GOOD), preexec_fn=take_landlock_away)
        except subprocess.SubprocessError as problem:
            self.skipTest(str(problem))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("cannot confine Picket as it should"), 1, done.stderr)
        self.assertIn("no Landlock, seccomp", done.stderr)
        self.assertEqual(done.stdout.count("verified"), 4)

    def test_an_interrupt_ends_a_compilation_and_still_reports(self):
        process = self.start("check", "--json", self.write("bug.c", BUGGY), self.fifo(), start_new_session=True)
        with open(self.path("fifo.c"), "w"):  # returns when it is opened for reading
            os.killpg(process.pid, signal.SIGINT)
            output, _ = process.communicate(timeout=300)
        reports = json.loads(output)
        self.assertEqual([report["models"][0]["verdict"] for report in reports], ["violation", "inconclusive"])
        self.assertEqual(reports[1]["models"][0]["reason"], "cancelled while compiling")

    def test_an_interrupt_of_the_first_process_alone_is_enough(self):
        text = "#include <pthread.h>\nvolatile int x, y;\nvoid *f(void *p) { x = (int)(long)p; y = x; return p; }\n" \
               "int main(void) { pthread_t t[9]; for (long i = 0; i < 9; ++i) pthread_create(&t[i], 0, f, (void *)i); return 0; }\n"
        process = self.start("check", "--json", "--model", "sc", self.write("long.c", text), self.fifo())
        self.confined(process)
        process.send_signal(signal.SIGINT)  # wherever it is by now
        output, _ = process.communicate(timeout=300)
        reports = json.loads(output)
        self.assertEqual((reports if isinstance(reports, list) else [reports])[0]["models"][0]["verdict"], "inconclusive")

    def test_none_is_left_when_the_first_is_killed(self):
        process = self.start("check", self.fifo())
        children = self.confined(process)
        process.kill()
        eventually("all of them end", lambda: not any(alive(pid) for pid in children))

    def test_a_process_that_is_lost_is_told_and_the_rest_goes_on(self):
        process = self.start("check", "--json", "--model", "sc", self.fifo(), self.write("bug.c", BUGGY))
        with open(self.path("fifo.c"), "w"):
            os.kill(self.confined(process)[-1], signal.SIGKILL)
            output, _ = process.communicate(timeout=300)
        reports = json.loads(output)
        self.assertEqual([report["models"][0]["verdict"] for report in reports], ["unsupported", "violation"])
        self.assertIn("Picket crashed", reports[0]["models"][0]["reason"])


class OutputThatCannotBeWritten(Base):
    COMMANDS = (["check", "{bug}"], ["check", "--json", "{bug}"], ["check", "--format", "sarif", "{good}"], ["check", "--count", "{good}"], ["robust", "{good}"],
                ["check", "--svg", "-", "{bug}"], ["check", "--dump-bytecode", "{good}"], ["litmus", "{litmus}"], ["litmus", "--json", "{litmus}"],
                ["--version"], ["--help"], ["check", "--help"], ["doctor"])
    LITMUS = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n"

    def commands(self):
        names = {"bug": self.write("bug.c", BUGGY), "good": self.write("good.c", GOOD), "litmus": self.write("sb.litmus", self.LITMUS)}
        return [[word.format(**names) for word in command] for command in self.COMMANDS]

    def test_a_full_disk_is_exit_code_2(self):
        for command in self.commands():
            with self.subTest(command=command), open("/dev/full", "w") as full:
                done = subprocess.run([PICKET, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, env=self.environment)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("cannot write to standard output", done.stderr)

    def test_a_closed_output_is_exit_code_2(self):
        for command in self.commands():
            with self.subTest(command=command):
                done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", PICKET, *command], stderr=subprocess.PIPE, text=True, timeout=300, env=self.environment)
                self.assertEqual(done.returncode, 2, done.stderr)

    def test_files_that_cannot_be_written_are_exit_code_2(self):
        bug = self.write("bug.c", BUGGY)
        for option in ("--html", "--svg", "--dot", "--trace-json"):
            for file in ("/dev/full", self.path("none/file"), self.directory):
                with self.subTest(option=option, file=file):
                    done = self.run_picket("check", option, file, bug)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"cannot write '{file}'", done.stderr)


class ErrorsInJson(Base):
    def expect_error(self, *arguments, code=2):
        done = self.run_picket(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIsInstance(json.loads(done.stdout)["error"], str)
        return json.loads(done.stdout)["error"]

    def test_bad_usage_is_an_object_with_the_error(self):
        good = self.write("good.c", GOOD)
        for arguments in (["check", "--json"], ["check", "--format", "json", "--unroll", "0", good], ["check", "--format=json", "--bogus", good],
                          ["robust", "--json", "--model", "sc", good], ["litmus", "--json"], ["litmus", "--format", "json", "--expected", self.path("none.tsv")],
                          ["check", "--json", "--svg", "-", good], ["check", "--json", "--apply", good], ["chekc", "--json", good]):
            with self.subTest(arguments=arguments):
                self.assertNotEqual(self.expect_error(*arguments), "")

    def test_litmus_tests_that_are_not_there(self):
        os.mkdir(self.path("empty"))
        self.assertIn("no .litmus file", self.expect_error("litmus", "--json", self.path("empty"), code=3))

    def test_out_of_memory_is_json(self):
        file = self.write("good.c", GOOD)
        ends = set()
        for limit in range(300_000, 1_400_000, 100_000):  # kilobytes of address space
            done = subprocess.run(["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", PICKET, "check", "--json", file], capture_output=True, text=True, timeout=300, env=self.environment)
            if done.returncode == 127 or "error while loading shared libraries" in done.stderr:
                continue  # it did not even start
            ends.add(done.returncode)
            json.loads(done.stdout)
        self.assertTrue(ends & {0, 3, 4}, ends)


if __name__ == "__main__":
    unittest.main(verbosity=2)

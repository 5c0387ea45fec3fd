#!/usr/bin/env python3
"""Reports of counterexamples, from outside.

  report_test.py commands PICKET SOURCE_DIR VALIDATOR   what the options do; SARIF of all examples
  report_test.py suite PICKET SOURCE_DIR                every violation in tests/programs/expected.tsv, in every model:
                                                        pictures, lines, replay
"""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

PICKET = SOURCE_DIR = VALIDATOR = None
BUFFERS = ("sc", "tso", "pso")
GRAPHS = ("armv8", "power", "c11")
MODELS = BUFFERS + GRAPHS

BUGGY = """#include <assert.h>
#include <pthread.h>
int data, ready;
void *writer(void *unused) {
  data = 42;
  ready = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (ready)
    assert(data == 42);
  pthread_join(t, 0);
}
"""


RACE = '''#include <pthread.h>
#include <stdatomic.h>
int data;
static inline void put(int value) { data = value; }
atomic_int flag;
void *writer(void *unused) {
  put(1);
  atomic_store_explicit(&flag, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (atomic_load_explicit(&flag, memory_order_relaxed))
    return data != 1;
  pthread_join(t, 0);
}
'''


def run(*arguments, cwd=None, env=None):
    return subprocess.run([PICKET, *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=1800)


def page_data(html):
    """The counterexamples in a page."""
    found = re.search(r'<script type="application/json" id="counterexample">(.*?)</script>', html, re.S)
    return json.loads(found.group(1))


class Commands(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.write("bug.c", BUGGY)
        self.write("good.c", "int main(void) { return 0; }\n")
        self.write("broken.c", "int main(void) { return missing; }\n")

    def tearDown(self):
        self.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def picket(self, *arguments, code=None, env=None):
        result = run(*arguments, cwd=self.scratch.name, env=env)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def validate(self, *files):
        result = subprocess.run(["node", VALIDATOR, *files], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def record(self, file="bug.c", *flags):
        self.picket("check", "--model", "pso", "--trace-json", "bug.json", file, *flags, code=1)

    def test_every_file_is_made(self):
        self.picket("check", "--model", "pso", "--html", "a.html", "--svg", "a.svg", "--dot", "a.dot", "--trace-json", "a.json",
                    "bug.c", code=1)
        ET.fromstring(self.read("a.svg"))
        self.assertRegex(self.read("a.dot"), r"^digraph")
        trace = json.loads(self.read("a.json"))
        self.assertEqual(page_data(self.read("a.html")), [trace])
        self.assertEqual((trace["picket"], trace["file"], trace["model"]), (1, "bug.c", "pso"))
        self.assertEqual(trace["sources"], {"bug.c": BUGGY})
        self.assertEqual((trace["bug"]["line"], trace["bug"]["kind"]), (13, "assertion"))
        self.assertTrue(trace["cycle"]["edges"])
        for view in ("chronological", "shashaSnir"):
            ET.fromstring(trace[view]["svg"])

    def test_both_views_differ(self):
        views = [self.picket("check", "--model", "pso", "--dot", "-", "--trace", view, "bug.c", code=1)
                 for view in ("chronological", "shasha-snir")]
        self.assertNotEqual(views[0].stdout, views[1].stdout)
        for view in views:
            self.assertRegex(view.stdout, r"^digraph")
            self.assertIn("assertion failed", view.stderr)

    def test_power_has_one_view(self):
        views = [self.picket("check", "--model", "power", "--dot", "-", "--trace", view, "bug.c", code=1).stdout
                 for view in ("chronological", "shasha-snir")]
        self.assertEqual(views[0], views[1])
        self.assertIn('class="shasha-snir"', views[0])
        self.picket("check", "--model", "power", "--trace-json", "bug.json", "--html", "bug.html", "bug.c", code=1)
        trace = json.loads(self.read("bug.json"))
        self.assertEqual(page_data(self.read("bug.html")), [trace])
        self.assertNotIn("chronological", trace)
        self.assertEqual((trace["target"], trace.get("host")), ("powerpc64le", platform.machine()))
        self.picket("check", "--model", "power", "--target=host", "--trace-json", "host.json", "bug.c", code=1)
        trace = json.loads(self.read("host.json"))
        self.assertEqual((trace["target"], trace.get("host")), (platform.machine(), None))
        self.assertRegex(self.picket("replay", "bug.json", code=1).stdout, r"^fails again: .* at bug\.c:13 \(as recorded\)")
        self.write("moved.c", "\n\n" + BUGGY)
        self.picket("replay", "bug.json", "moved.c", code=1)
        self.write("changed.c", BUGGY.replace("ready = 1", "ready = 2"))
        self.assertIn("no longer matches at step", self.picket("replay", "bug.json", "changed.c", code=4).stdout)
        self.write("power.sarif", self.picket("check", "--model", "power", "--format", "sarif", "bug.c", code=1).stdout)
        self.validate(self.path("power.sarif"))

    def test_one_thing_at_a_time_on_standard_output(self):
        self.picket("check", "--svg", "-", "--dot", "-", "bug.c", code=2)
        self.picket("check", "--svg", "-", "--json", "bug.c", code=2)

    def test_without_a_counterexample_nothing_is_written(self):
        result = self.picket("check", "--svg", "good.svg", "good.c", code=0)
        self.assertIn("no counterexample was found", result.stderr)
        self.assertFalse(os.path.exists(self.path("good.svg")))
        self.picket("check", "--html", "broken.html", "broken.c", code=3)

    def test_a_file_that_cannot_be_written(self):
        result = self.picket("check", "--svg", "no/such/directory.svg", "bug.c", code=2)
        self.assertIn("cannot write", result.stderr)

    def test_sources_in_a_page_do_not_end_its_script(self):
        self.write("evil.c", BUGGY + "// </script><script>alert(1)</script><!--\n")
        self.picket("check", "--model", "pso", "--html", "evil.html", "evil.c", code=1)
        page = self.read("evil.html")
        self.assertNotIn("alert(1)</script>", page)
        self.assertIn("alert(1)</script>", page_data(page)[0]["sources"]["evil.c"])

    def test_json_report_holds_the_counterexample(self):
        report = json.loads(self.picket("check", "--json", "bug.c", code=1).stdout)
        bugs = {bug["counterexample"]["model"]: bug for model in report["models"] for bug in model["bugs"]}
        self.assertEqual({model: bug["kind"] for model, bug in bugs.items()},
                         {"pso": "assertion", "armv8": "assertion", "power": "assertion", "c11": "data-race"})
        bug = bugs["pso"]
        self.assertEqual(bug["counterexample"]["bug"]["line"], bug["line"])
        self.assertNotIn("svg", bug["counterexample"]["chronological"])

    def test_text_tells_the_steps(self):
        text = self.picket("check", "--model", "pso", "bug.c", code=1).stdout
        self.assertRegex(text, r"(?m)^ +\d+  writer +line 6 +stores 1 to `ready`")
        self.assertNotIn("\033", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertNotIn("stores 1", self.picket("check", "--model", "pso", "-q", "bug.c", code=1).stdout)

    def test_long_tellings_are_folded(self):
        short = self.picket("check", "--model", "pso", "--steps", "4", "bug.c", code=1).stdout
        full = self.picket("check", "--model", "pso", "--steps", "all", "bug.c", code=1).stdout
        steps = re.compile(r"(?m)^ +\d+  (?:main|writer) ")
        self.assertEqual(len(steps.findall(short)), 4)
        hidden = sum(int(n) for n in re.findall(r"\.\.\. (\d+) more step", short))
        self.assertEqual(len(steps.findall(full)), 4 + hidden)
        self.assertIn("--steps all", short)

    def test_colour_is_a_matter_of_choice(self):
        self.assertIn("\033[", self.picket("check", "--color", "always", "bug.c", code=1).stdout)
        self.assertNotIn("\033", self.picket("check", "--color", "never", "bug.c", code=1).stdout)
        self.picket("check", "--color", "pink", "bug.c", code=2)

    def test_sarif_of_the_examples_is_valid(self):
        examples = [os.path.join(SOURCE_DIR, "examples", name) for name in sorted(os.listdir(os.path.join(SOURCE_DIR, "examples")))]
        self.write("all.sarif", run("check", "--timeout", "10m", "--format", "sarif", *examples).stdout)
        log = json.loads(self.read("all.sarif"))
        self.assertGreaterEqual(len(log["runs"][0]["results"]), 4)
        self.validate(self.path("all.sarif"))

    def test_sarif_of_what_cannot_be_checked_is_valid(self):
        self.write("unknown.c", "void launch(void);\nint main(void) { launch(); }\n")
        self.write("endless.c", "#include <pthread.h>\nint x;\nvoid *f(void *p) { while (1) x++; }\n"
                                "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (x >= 0) x++; }\n")
        self.write("odd.sarif", self.picket("check", "--format", "sarif", "--unroll", "2", "--timeout", "2s", "broken.c",
                                            "unknown.c", "endless.c", "missing file.c", "good.c").stdout)
        [log] = json.loads(self.read("odd.sarif"))["runs"]
        self.assertFalse(log["invocations"][0]["executionSuccessful"])
        ids = {note["descriptor"]["id"] for note in log["invocations"][0]["toolExecutionNotifications"]}
        self.assertLessEqual({"compile-error", "unsupported"}, ids)
        self.assertIn("missing%20file.c", json.dumps(log))
        self.validate(self.path("odd.sarif"))

    def test_sarif_tells_threads_and_models(self):
        text = self.picket("check", "--format", "sarif", "bug.c", code=1).stdout
        result, race = json.loads(text)["runs"][0]["results"]
        self.assertEqual((race["ruleId"], race["properties"]["models"]), ("data-race", ["c11"]))
        self.assertEqual(result["properties"]["models"], ["pso", "armv8", "power"])
        self.assertEqual(len(result["codeFlows"]), 3)
        for flow in result["codeFlows"]:
            self.assertEqual({thread["id"] for thread in flow["threadFlows"]}, {"main", "writer"})
            order = sorted(place["executionOrder"] for thread in flow["threadFlows"] for place in thread["locations"])
            self.assertEqual(order, list(range(1, len(order) + 1)))

    def test_sarif_counts_columns_in_utf16(self):
        # U+1F600 is four bytes and two code units.
        self.write("wide.c", BUGGY.replace("    assert(", "/*\U0001F600*/assert("))
        text = self.picket("check", "--model", "pso", "--format", "sarif", "wide.c", code=1).stdout
        [result] = json.loads(text)["runs"][0]["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 7)

    def race(self, *options, code=None):
        self.write("race.c", RACE)
        return self.picket("check", *options, "race.c", code=code)

    def test_a_data_race_is_told_with_both_accesses(self):
        told = self.race("--model", "c11", code=1).stdout
        self.assertRegex(told, r"race\.c:15:\d+: error: data race: this read of 'data'")
        self.assertRegex(told, r"race\.c:4:\d+: note: the write in thread 'writer'")
        self.assertRegex(told, r"called in 'writer' \(race\.c:7:\d+\)")
        self.assertIn("which does not synchronise with the release write at line 8", " ".join(told.split()))
        bug = json.loads(self.race("--model", "c11", "--json").stdout)["models"][0]["bugs"][0]
        self.assertEqual((bug["line"], bug["other"]["line"], bug["other"]["access"], bug["other"]["atomic"]), (15, 4, "write", False))
        self.assertEqual([c["function"] for c in bug["other"]["callers"]], ["writer"])
        self.assertEqual(len(bug["counterexample"]["bug"]["race"]), 2)
        [result] = json.loads(self.race("--model", "c11", "--format", "sarif").stdout)["runs"][0]["results"]
        self.assertEqual(result["level"], "error")
        self.assertEqual(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 4)
        self.assertEqual(len(result["stacks"]), 2)
        dot = self.race("--model", "c11", "--dot", "-").stdout
        self.assertIn("-race", dot)

    def test_data_races_as_warnings(self):
        told = self.race("--model", "c11", "--races=warning", code=0).stdout
        self.assertIn("C11: verified apart from 1 data race: no execution goes wrong in another way (3 executions)", told)
        self.assertRegex(told, r"race\.c:15:\d+: warning: data race")
        model = json.loads(self.race("--model", "c11", "--races=warning", "--json", code=0).stdout)["models"][0]
        self.assertEqual((model["verdict"], model["bugs"], len(model["warnings"])), ("verified", [], 1))
        [result] = json.loads(self.race("--model", "c11", "--races=warning", "--format", "sarif").stdout)["runs"][0]["results"]
        self.assertEqual(result["level"], "warning")
        self.write(".picket.toml", 'races = "warning"\n')
        self.race("--model", "c11", code=0)
        self.race("--model", "c11", "--races", code=1)
        self.write("comment.c", "// picket: races=off\n" + RACE)
        off = self.picket("check", "--model", "c11", "comment.c", code=0)
        self.assertIn("not checked, as asked for: race", off.stdout)
        self.assertIn("'maybe' is none of error, warning, off", self.race("--races=maybe", code=2).stderr)

    def test_data_races_under_sc(self):
        self.assertIn("SC: verified", self.race("--model", "sc", code=0).stdout)
        self.assertIn("SC: violation", self.race("--model", "sc", "--races", code=1).stdout)
        both = self.race("--model", "sc,c11", "--races", code=1).stdout
        self.assertIn("SC: verified", both)
        self.assertIn("C11: violation", both)

    def test_replay_of_a_data_race(self):
        for options in (("--model", "c11"), ("--model", "c11", "--races=warning"), ("--model", "sc", "--races")):
            self.race(*options, "--trace-json", "race.json")
            self.assertIn("fails again: data race", self.picket("replay", "race.json", code=1).stdout)
            self.write("report.json", self.race(*options, "--json").stdout)
            self.picket("replay", "report.json", code=1)
            self.write("ordered.c", RACE.replace("relaxed", "acquire"))
            self.picket("replay", "race.json", "ordered.c", code=0)

    def test_volatile_and_release_sequences_are_replayed(self):
        self.write("volatile.c", RACE.replace("atomic_int flag", "volatile int flag").replace(
            "atomic_store_explicit(&flag, 1, memory_order_release)", "flag = 1").replace(
            "atomic_load_explicit(&flag, memory_order_relaxed)", "flag"))
        told = self.picket("check", "--model", "c11", "--volatile", "relaxed", "--trace-json", "race.json", "volatile.c", code=1)
        self.assertIn("'data'", told.stdout)
        self.assertEqual(json.loads(self.read("race.json"))["volatile"], "relaxed")
        self.picket("replay", "race.json", code=1)

    def test_numbers_of_a_racy_program_are_not_complete(self):
        counted = self.race("--model", "sc,c11", "--count", "--exhaustive").stdout
        self.assertTrue(counted.rstrip().endswith("?"), counted)

    def test_checks_choose_what_is_reported(self):
        for name in ("no-assertion", "-assertion", "memory,deadlock", "none"):
            off = run("check", "--checks", name, "--model", "pso", self.path("bug.c"))
            self.assertEqual(off.returncode, 0, off.stdout)
            self.assertRegex(off.stdout, r"ended in an error that is not checked")
            self.assertRegex(off.stdout, r"not checked, as asked for: .*assertion")
        for name in ("assertion", "default", "all", "default,leak"):
            on = run("check", "--checks", name, "--model", "pso", self.path("bug.c"))
            self.assertEqual(on.returncode, 1, on.stdout)
            self.assertEqual("not checked" in on.stdout, name == "assertion")

    def test_checks_that_are_none_are_refused(self):
        for name, why in (("memoy", "'memoy' is no kind of bug"), ("races", "'races' is no kind of bug"), ("no-none", "no kind of bug")):
            refused = run("check", "--checks", name, self.path("bug.c"))
            self.assertEqual(refused.returncode, 2)
            self.assertIn(why, refused.stderr)

    def test_json_names_what_was_checked(self):
        report = json.loads(run("check", "--json", "--checks", "memory,leak", "--model", "pso", self.path("bug.c")).stdout)
        self.assertEqual(report["checks"], ["memory", "leak"])
        self.assertEqual(report["models"][0]["verdict"], "verified")
        self.assertEqual(report["models"][0]["unchecked"], 1)
        report = json.loads(run("check", "--json", self.path("good.c")).stdout)
        self.assertIn("assertion", report["checks"])
        self.assertNotIn("leak", report["checks"])

    def test_every_report_names_what_was_not_checked(self):
        chosen = ("--checks", "no-assertion", "--model", "pso", self.path("bug.c"))
        counts = run("check", "--count", *chosen).stdout
        self.assertRegex(counts, r"bug.c: PSO: \d+ more ended in an error that is not checked")
        self.assertIn("not checked, as asked for: assertion", counts)
        self.assertIn("not checked, as asked for: assertion", run("check", "--fix", *chosen).stderr)
        sarif = json.loads(run("check", "--format", "sarif", *chosen).stdout)["runs"][0]
        told = [n for n in sarif["invocations"][0]["toolExecutionNotifications"] if n["descriptor"]["id"] == "not-checked"]
        self.assertIn("assertion", told[0]["message"]["text"])
        self.assertIn("not-checked", [n["id"] for n in sarif["tool"]["driver"]["notifications"]])

    def test_checks_come_from_the_file_and_the_command_line_has_the_last_word(self):
        self.write("comment.c", "// picket: checks=no-assertion\n" + BUGGY)
        self.assertEqual(run("check", "--model", "pso", self.path("comment.c")).returncode, 0)
        self.assertEqual(run("check", "--model", "pso", "--checks", "default", self.path("comment.c")).returncode, 1)
        self.write(".picket.toml", 'checks = ["default", "no-assertion"]\n')
        self.assertEqual(run("check", "--model", "pso", self.path("bug.c")).returncode, 0)
        self.write(".picket.toml", 'checks = "memoy"\n')
        told = run("check", "--model", "pso", self.path("bug.c"))
        self.assertEqual(told.returncode, 1)
        self.assertIn("'memoy' is no kind of bug", told.stderr)

    def test_replay_of_kinds_that_are_off_by_default(self):
        self.write("kinds.c", """#include <limits.h>
#include <stdlib.h>
volatile int max = INT_MAX;
int main(void) {
  int *volatile p = malloc(4);
#ifdef READ
  return *p;
#endif
#ifdef ADD
  free(p);
  return max + 1 == 0;
#endif
  return 0;
}
""")
        for checks, flag, line in (("leak", "-DLEAK", 5), ("uninitialised", "-DREAD", 7), ("overflow", "-DADD", 11)):
            for model in MODELS:
                made = run("check", "--checks", checks, "--model", model, "--trace-json", self.path("kind.json"), flag,
                           self.path("kinds.c"))
                self.assertEqual(made.returncode, 1, made.stdout)
                again = run("replay", self.path("kind.json"))
                self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
                self.assertIn(f"kinds.c:{line}", again.stdout)

    def test_a_fix_is_for_what_is_checked(self):
        fixed = run("check", "--fix", "--checks", "assertion", "--model", "pso", self.path("bug.c"))
        self.assertEqual(fixed.returncode, 0, fixed.stdout + fixed.stderr)
        self.assertIn("+", fixed.stdout)
        nothing = run("check", "--fix", "--checks", "no-assertion", "--model", "pso", self.path("bug.c"))
        self.assertNotIn("+++", nothing.stdout)

    def test_replay_fails_at_the_same_place(self):
        self.record()
        result = self.picket("replay", "bug.json", code=1)
        self.assertRegex(result.stdout, r"^fails again: assertion failed.* at bug\.c:13 \(as recorded\)")

    def test_replay_takes_reports_too(self):
        self.write("report.json", self.picket("check", "--json", "bug.c").stdout)
        self.picket("replay", "report.json", code=1)
        self.write("reports.json", self.picket("check", "--json", "good.c", "bug.c").stdout)
        self.picket("replay", "reports.json", code=1)

    def test_replay_of_moved_text(self):
        self.record()
        self.write("moved.c", "\n\n" + BUGGY)
        result = self.picket("replay", "bug.json", "moved.c", code=1)
        self.assertIn("moved.c:15 (recorded at line 13)", result.stdout)

    def test_replay_of_a_changed_program_names_the_step(self):
        self.record()
        trace = json.loads(self.read("bug.json"))
        self.write("changed.c", BUGGY.replace("ready = 1", "ready = 2"))
        result = self.picket("replay", "bug.json", "changed.c", code=4)
        found = re.match(r"no longer matches at step (\d+): ", result.stdout)
        self.assertTrue(found, result.stdout)
        step = trace["steps"][int(found.group(1)) - 1]
        self.assertEqual(trace["events"][step["event"]]["line"], 6)

    def test_replay_of_a_corrected_program(self):
        self.record()
        self.write("corrected.c", BUGGY.replace("data == 42", "data == 0"))
        self.assertIn("no longer fails", self.picket("replay", "bug.json", "corrected.c", code=0).stdout)

    def test_replay_keeps_flags(self):
        self.write("flags.c", BUGGY.replace("data == 42", "data == VALUE"))
        os.mkdir(self.path("include"))
        self.write("include/value.h", "#define VALUE 42\n")
        self.record("flags.c", "-Iinclude", "-include", "value.h")
        self.assertIn("include", json.loads(self.read("bug.json"))["flags"])
        self.picket("replay", "bug.json", code=1)
        self.record("flags.c", "-DVALUE=42")
        self.picket("replay", "bug.json", code=1)
        self.picket("replay", "bug.json", "-UVALUE", "-DVALUE=0", code=0)

    def test_a_refusal_names_all_that_is_not_modelled(self):
        self.write("unknown.c", "#include <pthread.h>\n"
                                "int one(int), two(void), three(const char *), four(void), five(int);\n"
                                "static int (*pointer)(int) = five;\n"
                                "void *f(void *p) { two(); three(\"x\"); return p; }\n"
                                "int main(void) {\n"
                                "  pthread_t t;\n"
                                "  pthread_create(&t, 0, f, 0);\n"
                                "  one(1);\n"
                                "  one(2);\n"
                                "  four();\n"
                                "  pointer(3);\n"
                                "}\n")
        text = self.picket("check", "--model", "sc,power", "unknown.c", code=3).stdout
        [line] = [line for line in text.splitlines() if "cannot be checked" in line]  # one for all models
        self.assertIn("unknown.c: SC and POWER: cannot be checked: ", line)
        for name in ("one", "two", "three", "four", "five"):
            self.assertEqual(line.count(f"'{name}'"), 1, line)
        self.assertIn("--stub", line)
        [report] = json.loads(self.picket("check", "--json", "--model", "sc", "unknown.c", code=3).stdout)["models"]
        places = {thing["what"]: [place["line"] for place in thing["places"]] for thing in report["notModelled"]}
        self.assertEqual(places["call to 'one'"], [8, 9])
        self.assertEqual(places["call to 'four'"], [10])
        self.assertEqual(len(places), 5)

    def test_stubs_are_told_with_the_verdict(self):
        self.write("stubbed.c", "// picket: stub=first=1,second models=sc\n#include <assert.h>\n"
                                "int first(void), second(void), third(void);\n"
                                "int main(void) { assert(first() == 1 && second() == 0 && third() == 3); }\n")
        self.write("stubs.c", "int third(void) { return 3; }\n")
        self.assertIn("'third'", self.picket("check", "stubbed.c", code=3).stdout)
        text = self.picket("check", "--stubs", "stubs.c", "stubbed.c", code=0).stdout
        self.assertRegex(text, r"verified: .*; with stubs for 'third', 'first', 'second'")
        report = json.loads(self.picket("check", "--stubs", "stubs.c", "--stub", "first=2", "--json", "stubbed.c", code=1).stdout)
        self.assertEqual(sorted(report["models"][0]["stubs"]), ["first", "second", "third"])
        self.assertIn("is no stub", self.picket("check", "--stub", "4", "stubbed.c", code=2).stderr)
        os.mkdir(self.path("inner"))
        self.write("inner/.picket.toml", 'stubs = "third.c"\nstub = ["first=1", "second"]\nmodels = ["sc"]\n')
        self.write("inner/third.c", "int third(void) { return 3; }\n")
        self.write("inner/plain.c", self.read("stubbed.c").split("\n", 1)[1])
        self.picket("check", "inner/plain.c", code=0)

    def test_values_from_outside_are_steps(self):
        self.write("outside.c", "#include <assert.h>\n#include <picket.h>\n#include <pthread.h>\nint x;\n"
                                "int __VERIFIER_nondet_int(void);\n"
                                "void *f(void *p) { x = picket_choose(3); return p; }\n"
                                "int main(void) {\n  pthread_t t;\n  int y = __VERIFIER_nondet_int();\n"
                                "  pthread_create(&t, 0, f, 0);\n  pthread_join(t, 0);\n  assert(!(x == 2 && y == 1));\n}\n")
        self.assertIn("--nondet", self.picket("check", "outside.c", code=3).stdout)
        self.picket("check", "--nondet", "2..5", "outside.c", code=0)
        for model in MODELS:
            text = self.picket("check", "--nondet", "-1..1", "--model", model, "--trace-json", "bug.json", "outside.c", code=1).stdout
            self.assertIn("chooses 2", text)
            if model != "power":  # what main does alone is not among its steps
                self.assertIn("chooses 1", text)
            self.picket("replay", "bug.json", code=1)

    def test_replay_refuses_what_is_no_counterexample(self):
        for text, part in (("", "no JSON"), ("{}", "no counterexample"), ('{"picket": 2}', "version 1"), ("[" * 100000, "nested"),
                           ('{"picket": 1, "file": 3}', "'file'"), ("[]", "no counterexample")):
            self.write("odd.json", text)
            self.assertIn(part, self.picket("replay", "odd.json", code=2).stderr)
        self.picket("replay", "none.json", code=2)
        self.picket("replay", code=2)
        self.record()
        self.picket("replay", "bug.json", "broken.c", code=3)


def violations():
    """(program, flags, unroll) -> {model: (kind, line)} of expected.tsv, as it is written there."""
    result = {}
    with open(os.path.join(SOURCE_DIR, "tests/programs/expected.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            program, flags, unroll, model, verdict, *_, kind, bug_line = line.rstrip("\n").split("\t")
            if verdict == "violation" and model in MODELS:
                key = (program, () if flags == "-" else tuple(flags.split()), unroll)
                result.setdefault(key, {})[model] = (kind, bug_line)
    return result


class Suite(unittest.TestCase):
    def test_every_violation(self):
        rows = violations()
        self.assertGreater(len(rows), 50)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = [problem for found in pool.map(self.examine, rows.items()) for problem in found]
        if problems:
            self.fail("\n".join(problems))

    def examine(self, row):
        (program, flags, unroll), models = row
        name = " ".join((program, *flags))
        try:
            with tempfile.TemporaryDirectory() as scratch:
                return [f"{name}: {problem}" for problem in self.problems(program, flags, unroll, models, scratch)]
        except Exception as error:  # one program's trouble must not hide the others
            return [f"{name}: {error!r}"]

    def problems(self, program, flags, unroll, models, scratch):
        directory = os.path.join(SOURCE_DIR, "tests/programs")
        files = {option: os.path.join(scratch, "out." + option) for option in ("html", "svg", "dot")}
        outputs = [word for option, file in files.items() for word in ("--" + option, file)]
        checked = run("check", "--json", "--unroll", unroll, "--model", ",".join(models), *outputs, program + ".c", *flags,
                      cwd=directory)
        if checked.returncode != 1 or checked.stderr.startswith("picket:"):
            yield f"exit code {checked.returncode}: {checked.stderr[:300]}"
            return
        ET.parse(files["svg"])
        with open(files["html"], encoding="utf-8") as file:
            traces = page_data(file.read())
        if {trace["model"] for trace in traces} != set(models):
            yield f"counterexamples for {[trace['model'] for trace in traces]} only"
        for trace in traces:
            for problem in self.trace_problems(trace):
                yield f"{trace['model']}: {problem}"
            saved = os.path.join(scratch, "trace.json")
            with open(saved, "w", encoding="utf-8") as file:
                json.dump(trace, file)
            again = run("replay", saved, cwd=directory)
            place = f"{trace['bug']['file']}:{trace['bug']['line']} (as recorded)"
            if again.returncode != 1 or place not in again.stdout:
                yield f"{trace['model']}: replay: {again.returncode}: {again.stdout}{again.stderr}"
            kind, line = models[trace["model"]]  # a program may have other bugs besides
            if kind == trace["bug"]["kind"] and line != "-" and trace["bug"]["line"] != int(line):
                yield f"{trace['model']}: bug at line {trace['bug']['line']} instead of {line}"

    def trace_problems(self, trace):
        if not trace["steps"] or not trace["sentence"]:
            yield "no steps or no sentence"
        if sorted(step["event"] for step in trace["steps"]) != list(range(len(trace["events"]))):
            yield "not every event is told exactly once"
        lines = {file: len(text.splitlines()) for file, text in trace["sources"].items()}
        for number, event in enumerate(trace["events"]):
            if not 1 <= event["line"] <= lines.get(event["file"], 0):
                yield f"event {number} ({event['kind']}) is at {event['file']}:{event['line']}"
        if ("chronological" in trace) == (trace["model"] in GRAPHS):
            yield "graphs, and only they, have no chronological trace"
        if trace["model"] in GRAPHS and "store buffer" in json.dumps([trace["sentence"], trace["steps"]]):
            yield "a store buffer where there is none"
        edges = {(edge["from"], edge["to"], edge["kind"]) for edge in trace["shashaSnir"]["edges"]}
        cycle = [(edge["from"], edge["to"], edge["kind"]) for edge in trace["cycle"]["edges"]]
        if not edges.issuperset(cycle) or any(a[1] != b[0] for a, b in zip(cycle, cycle[1:] + cycle[:1])):
            yield "the cycle is none"
        for view in ("chronological", "shashaSnir"):
            graph = trace.get(view)
            if graph is None:
                continue
            if "svg" not in graph:
                yield f"no picture of the {view} trace"
                continue
            ids = {element.get("id") for element in ET.fromstring(graph["svg"]).iter()}
            edges = {f"edge-{edge['from']}-{edge['to']}-{edge['kind']}" for edge in graph["edges"]}
            if race := trace["bug"].get("race"):  # no edge of the trace, but of the picture
                edges.add(f"edge-{race[0]}-{race[1]}-race")
            strangers = {name for name in ids if name and name.startswith("edge-")} - edges
            if strangers:
                yield f"the {view} picture has edges that are not in the trace: {sorted(strangers)[:3]}"
            nodes = {f"event-{node}" for node in graph["nodes"]}
            drawn = {name for name in ids if name and name.startswith("event-")}
            if not drawn or drawn - nodes:
                yield f"the {view} picture draws {sorted(drawn - nodes)[:3]}"


if __name__ == "__main__":
    mode, PICKET, SOURCE_DIR, *rest = sys.argv[1:]
    PICKET, SOURCE_DIR = os.path.abspath(PICKET), os.path.abspath(SOURCE_DIR)
    VALIDATOR = os.path.abspath(rest[0]) if rest else None
    unittest.main(argv=[sys.argv[0], "Suite" if mode == "suite" else "Commands", *rest[1:]])

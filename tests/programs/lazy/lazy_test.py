#!/usr/bin/env python3
"""Checks every row of expected.tsv by states and compares; what `picket robust` says, by states and by itself, must be the
same.
Usage: lazy_test.py path/to/picket path/to/this/directory"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

picket, directory = sys.argv[1:]
failures = []
checks = 0


def run(*arguments):
    """The report, the exit code, and the share of the time in which it had a processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([picket, *arguments], capture_output=True, text=True, timeout=1800)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    share = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / (end - start)
    return (json.loads(done.stdout) if done.stdout else {"models": [{}]}), done.returncode, share


def check(row):
    global checks
    program, flags, model, verdict, answer, bug, states = row
    file = os.path.join(directory, program + ".c")
    flags = [] if flags == "-" else flags.split(" ")

    def expect(what, expected, got):
        if expected != got:
            failures.append(f"{program} {' '.join(flags)} under {model}: {what} should be {expected}, is {got}")

    checks += 1
    # What cannot be decided must come to its end by the time limit; a busy machine takes longer to notice.
    limit = ["--timeout", "3"] if verdict == "inconclusive" else []
    begun = time.monotonic()
    report, code, _ = run("check", "--engine", "lazy", "--model", model, *limit, "--json", file, "--", *flags)
    got = report["models"][0]
    expect("verdict", verdict, got.get("verdict"))
    expect("exit code", {"violation": 1, "inconclusive": 4}.get(verdict, 0), code)
    if verdict == "inconclusive":
        expect("end within a minute", True, time.monotonic() - begun < 60)
        expect("bugs", [], got.get("bugs"))
    if got.get("bugs"):
        expect("bug", bug, got["bugs"][0]["kind"])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as trace:
            json.dump(report, trace)
            trace.flush()
            replayed = subprocess.run([picket, "replay", trace.name], capture_output=True, text=True)
        expect("exit code of picket replay", 1, replayed.returncode)
    if verdict == "verified" and model != "sc":
        expect("robust", answer == "robust", got.get("states", {}).get("robust"))
    seen = got.get("states", {}).get("states", 0)
    if states != "-" and not 0 < seen <= int(states):
        failures.append(f"{program} {' '.join(flags)} under {model}: looks at {seen} states, and {states} should be enough")
    if model != "sc":
        checks += 1
        report, code, _ = run("robust", "--engine", "lazy", "--model", model, "--json", file, "--", *flags)
        known = next(entry for entry in report["models"][0]["robustness"] if entry["against"] == model)
        expect("picket robust", answer, "robust" if known["robust"] else "not-robust")
        expect("exit code of picket robust", 0 if answer == "robust" else 1, code)
        expect("bounded", False, known["bounded"])
        if answer == "not-robust":
            expect("witness", True, "counterexample" in known)
        # The automatic choice comes to the same answer. It gives each way some time, so that on a
        # machine with much else to do it may say no more than what holds up to a bound.
        checks += 1
        report, code, share = run("robust", "--json", file, "--", *flags)
        known = {entry["against"]: entry for entry in report["models"][0]["robustness"]}
        expect("models of picket robust by itself", ["pso", "tso"], sorted(known))
        expect("picket robust by itself", answer, "robust" if known[model]["robust"] else "not-robust")
        if share > 0.9:
            expect("bounded by itself", False, known[model]["bounded"])


with open(os.path.join(directory, "expected.tsv"), encoding="utf-8") as table:
    rows = [line.rstrip("\n").split("\t") for line in table if line.strip() and not line.startswith("#")]
for row in rows:
    check(row)
for name in os.listdir(directory):
    if name.endswith(".c") and not any(row[0] + ".c" == name for row in rows):
        failures.append(f"{name} is not in expected.tsv")
print("\n".join(failures) if failures else f"{checks} checks, all as expected")
sys.exit(1 if failures else 0)

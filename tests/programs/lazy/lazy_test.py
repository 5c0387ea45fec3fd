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

picket, directory = sys.argv[1:]
failures = []
checks = 0


def run(*arguments):
    """The report, the exit code and the processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([picket, *arguments], capture_output=True, text=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (json.loads(done.stdout) if done.stdout else {"models": [{}]}), done.returncode, seconds


def check(row):
    global checks
    program, flags, model, verdict, answer, bug, seconds = row
    file = os.path.join(directory, program + ".c")
    flags = [] if flags == "-" else flags.split(" ")

    def expect(what, expected, got):
        if expected != got:
            failures.append(f"{program} {' '.join(flags)} under {model}: {what} should be {expected}, is {got}")

    checks += 1
    report, code, spent = run("check", "--engine", "lazy", "--model", model, "--json", file, "--", *flags)
    got = report["models"][0]
    expect("verdict", verdict, got.get("verdict"))
    expect("exit code", 1 if verdict == "violation" else 0, code)
    if got.get("bugs"):
        expect("bug", bug, got["bugs"][0]["kind"])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as trace:
            json.dump(report, trace)
            trace.flush()
            replayed = subprocess.run([picket, "replay", trace.name], capture_output=True, text=True)
        expect("exit code of picket replay", 1, replayed.returncode)
    if verdict == "verified" and model == "tso":
        expect("robust", answer == "robust", got.get("states", {}).get("robust"))
    if spent > float(seconds):
        failures.append(f"{program} {' '.join(flags)} under {model}: takes {spent:.2f} s, more than {seconds} s")
    if model == "tso":
        checks += 1
        report, code, _ = run("robust", "--engine", "lazy", "--model", "tso", "--json", file, "--", *flags)
        known = next(entry for entry in report["models"][0]["robustness"] if entry["against"] == "tso")
        expect("picket robust", answer, "robust" if known["robust"] else "not-robust")
        expect("exit code of picket robust", 0 if answer == "robust" else 1, code)
        expect("bounded", False, known["bounded"])
        if answer == "not-robust":
            expect("witness", True, "counterexample" in known)
        # The automatic choice comes to the same answer, and to one for PSO, about as soon.
        checks += 1
        report, code, spent = run("robust", "--json", file, "--", *flags)
        known = {entry["against"]: entry for entry in report["models"][0]["robustness"]}
        expect("models of picket robust by itself", ["pso", "tso"], sorted(known))
        expect("picket robust by itself", answer, "robust" if known["tso"]["robust"] else "not-robust")
        expect("bounded by itself", False, known["tso"]["bounded"])
        if spent > float(seconds) + 1:
            failures.append(f"{program} {' '.join(flags)}: picket robust takes {spent:.2f} s")


with open(os.path.join(directory, "expected.tsv"), encoding="utf-8") as table:
    rows = [line.rstrip("\n").split("\t") for line in table if line.strip() and not line.startswith("#")]
for row in rows:
    check(row)
for name in os.listdir(directory):
    if name.endswith(".c") and not any(row[0] + ".c" == name for row in rows):
        failures.append(f"{name} is not in expected.tsv")
print("\n".join(failures) if failures else f"{checks} checks, all as expected")
sys.exit(1 if failures else 0)

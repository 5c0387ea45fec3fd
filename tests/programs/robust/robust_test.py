#!/usr/bin/env python3
"""Runs `picket robust --all` on every row of expected.tsv and compares the answers and the numbers of violations; under SC
every program must be right, and every execution that is shown must happen again.
Usage: robust_test.py path/to/picket path/to/this/directory"""
import json
import os
import subprocess
import sys
import tempfile

SECONDS = 120
EXIT_CODES = {"robust": 0, "not-robust": 1}

picket, directory = sys.argv[1:3]
failures = []
checks = 0


def run(command, model, program, flags, *options):
    global checks
    checks += 1
    done = subprocess.run(
        [picket, command, "--model", model, "--json", *options, os.path.join(directory, program + ".c"), "--", *flags],
        capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, json.loads(done.stdout)["models"][0]


def location(place):
    return (place["file"], place["line"], place["column"])


def instruction_sets(violations):
    """How the paper counts: sets of the instructions of store, previous access and observer."""
    return {frozenset([location(v["store"]), location(previous), location(v["observer"])])
            for v in violations for previous in v["previous"]}


def problems_of(violations):
    """What the list itself must be like: no pair twice, and all that is needed to understand each entry."""
    pairs = [(location(v["store"]), location(v["observer"])) for v in violations]
    if len(set(pairs)) < len(pairs):
        yield "a pair of store and observer is listed twice"
    for v in violations:
        if not v["overtakers"]:
            yield f"{v['store']} is delayed past nothing"


def replay_problems(answer, program):
    """The first witness and those of the other violations must happen again."""
    witnesses = [answer["counterexample"]] if "counterexample" in answer else []
    witnesses += [v["counterexample"] for v in answer["violations"] if "counterexample" in v]
    if len(witnesses) < min(len(answer["violations"]), 64):
        yield f"{len(witnesses)} executions for {len(answer['violations'])} violations"
    for witness in witnesses:
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(witness, file)
            file.flush()
            done = subprocess.run([picket, "replay", file.name, os.path.join(directory, program + ".c")],
                                  capture_output=True, text=True, timeout=SECONDS, check=False)
            if not witness["cycle"]["edges"]:
                yield "an execution is one of SC"
            if done.returncode != 1:
                yield f"replay: exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"


def main():
    known = set()
    with open(os.path.join(directory, "expected.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    for program, given, model, expected, pairs, sets in rows:
        flags = given.split() if given != "-" else []
        here = f"{program} ({given}) under {model}"

        def expect(what, value, right):
            if value != right:
                failures.append(f"{here}: {what}: expected {right}, got {value}")

        if (program, given) not in known:
            known.add((program, given))
            code, _ = run("check", "sc", program, flags)
            expect("exit code under SC", code, 0)
        code, report = run("robust", model, program, flags, "--all")
        answer = next(a for a in report["robustness"] if a["against"] == model)
        expect("answer", "robust" if answer["robust"] else "not-robust", expected)
        expect("exit code", code, EXIT_CODES[expected])
        if expected == "robust":
            expect("bounded", answer["bounded"], False)
            continue
        expect("complete", answer["complete"], True)
        expect("violations", len(answer["violations"]), int(pairs))
        expect("sets of instructions", len(instruction_sets(answer["violations"])), int(sets))
        failures.extend(f"{here}: {problem}" for problem in problems_of(answer["violations"]))
        failures.extend(f"{here}: {problem}" for problem in replay_problems(answer, program))
    for name in sorted(os.listdir(directory)):
        if name.endswith(".c") and (name[:-2], "-") not in known:
            failures.append(f"{name} is not in expected.tsv")
    print("\n".join(failures) if failures else f"{checks} runs, all as expected")
    return 1 if failures else 0


sys.exit(main())

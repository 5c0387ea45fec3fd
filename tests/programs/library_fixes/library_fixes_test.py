#!/usr/bin/env python3
"""Runs `picket check --fix` on the programs of this directory and compares where the fixes land with expected.tsv.

Each program is a library with one bug and a test that includes it. usage: library_fixes_test.py PICKET DIRECTORY [NAME...]
"""

import json
import pathlib
import re
import subprocess
import sys

HARDWARE = "sc,tso,pso,power"  # the default models
CHANGES_TEST = "no fix in the library was found"


def rows(directory):
    for line in (directory / "expected.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, files, functions, words, models = line.split("\t")
            yield (name, files.split(","), functions.split(","), words), models


def function_at(text, offset):
    """The name of the function that an offset of a text is in: the last one that begins at the margin before it."""
    begun = re.findall(r"^(?=\w)(?!typedef)[^\n;{}=]*?\b(\w+)\([^;{}]*\) \{", text[:offset], re.M)
    return begun[-1] if begun else ""


def check(picket, directory, models, name, files, functions, words):
    command = [picket, "check", "--fix", "--json", "--model", models, f"{name}_test.c"]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    report = json.loads(run.stdout)
    if report["outcome"] != "fixed":
        return f"{report['outcome']}: {report['reason']}"
    fix = report["fixes"][0]
    problems = []
    for edit in fix["edits"]:
        path = directory / edit["file"]
        if path.name not in files:
            problems.append(f"changes {edit['file']}")
            continue
        function = function_at(path.read_text(), edit["begin"])
        if function not in functions and "#include" not in edit["text"]:
            problems.append(f"changes the function '{function}'")
    added = [line for line in fix["diff"].splitlines() if line.startswith("+") and not line.startswith("+++")]
    if words != "-" and not any(words in line for line in added):
        problems.append(f"has no '{words}'")
    if fix["changesTest"] != (files == [f"{name}_test.c"]) or fix["changesTest"] != (CHANGES_TEST in fix["title"]):
        problems.append("says something else about the test than it does")
    return "; ".join(problems) + "\n" + fix["title"] + "\n" + fix["diff"] if problems else ""


def main(picket, directory, *names):
    picket, directory = pathlib.Path(picket).resolve(), pathlib.Path(directory)
    failed = 0
    for row, shown_by in rows(directory):
        if names and row[0] not in names:
            continue
        for models in [HARDWARE, HARDWARE + ",c11"][shown_by == "c11" :]:
            problem = check(picket, directory, models, *row)
            print(f"{'FAILED' if problem else 'ok':8}{row[0]} ({models})", flush=True)
            if problem:
                failed += 1
                print(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

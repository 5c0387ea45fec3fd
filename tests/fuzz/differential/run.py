#!/usr/bin/env python3
"""Differential tests of the whole checker with random C programs: see README.md."""
import argparse
import itertools
import os
import random
import re
import shutil
import sys
import tempfile
import time

import generate
import oracles
from oracles import Failure

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["any", "alike", "any", "ordered"]
BATCH = 12  # programs that one process of the checker looks at
LIMITS = ["--timeout", "1s", "--max-memory", "1G"]


def compilers():
    """The machine runs what people run: other compilers, with and without optimisation."""
    found = [name for name in ("gcc", "clang-22") if shutil.which(name)]
    return [[name, level] for name in found for level in ("-O0", "-O2")]


class Run:
    def __init__(self, arguments):
        self.picket, self.milliseconds, self.keep = os.path.abspath(arguments.picket), arguments.native, arguments.keep
        self.compilers = itertools.cycle(compilers()) if self.milliseconds else None
        self.levels = itertools.cycle(("O1", "O2"))
        self.programs = self.checks = self.observations = 0
        self.strange = self.failures = self.undecided = self.compared = self.fewer = 0

    def write(self, directory, name, text):
        path = os.path.join(directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def look(self, directory, texts):
        """Checks programs {name: (kind, text)}; returns what failed {name: message}."""
        shutil.copy(os.path.join(HERE, "harness.h"), directory)
        paths = {self.write(directory, name, text): name for name, (_, text) in texts.items()}
        kinds = {path: texts[name][0] for path, name in paths.items()}
        try:
            plain = oracles.check(self.picket, list(paths), [*LIMITS, "--jobs", "1"])
            beside = oracles.check(self.picket, list(paths), [*LIMITS, "--jobs", "4"])
            backwards = oracles.check(self.picket, list(paths), [*LIMITS, "-DBACKWARDS"])
            relations = oracles.check(self.picket, list(paths), [*LIMITS, "--equivalence", "rf"])
            level, optimised = self.optimised([path for path in paths if kinds[path] == "ordered"])
        except Failure as failure:
            if len(texts) == 1:
                return {name: str(failure) for name in texts}
            failed = {}  # one of them
            for name, text in texts.items():
                failed.update(self.look(directory, {name: text}))
            return failed
        failed = {}
        for path, name in paths.items():
            try:
                self.compare(path, kinds[path], plain[path], beside[path], backwards[path])
                self.fewer += oracles.expect_fewer(plain[path], relations[path])
                if self.programs % 4 == 2:
                    oracles.expect_replay(self.picket, relations[path], directory)
                if path in optimised:
                    self.compared += oracles.expect_same_states(plain[path], optimised[path], f"optimised with {level}")
            except Failure as failure:
                failed[name] = str(failure)
        return failed

    def optimised(self, paths):
        """What an optimiser makes of programs without data races has the same final states."""
        level = next(self.levels)
        return level, oracles.check(self.picket, paths, [*LIMITS, f"-fpicket-optimize={level}"]) if paths else {}

    def compare(self, path, kind, plain, beside, backwards):
        self.programs += 1
        self.undecided += not all(answer.is_complete() for answer in plain.values() if answer.verdict != "unsupported")
        self.strange += plain["tso"].states != plain["sc"].states
        oracles.expect_sound(plain)
        oracles.expect_inclusion(plain, kind)
        oracles.expect_robustness(plain)
        oracles.expect_equal(plain, beside, "--jobs 4")
        oracles.expect_equal(plain, backwards, "threads created in the other order")
        if self.programs % 4 == 1:
            oracles.expect_replay(self.picket, plain, os.path.dirname(path))
        if self.compilers:
            observed = oracles.observe(next(self.compilers), path, self.milliseconds)
            self.observations += sum(observed.values())
            oracles.expect_observed(plain, observed)

    def report(self, name, text, message):
        self.failures += 1
        print(f"FAILED {name}: {message}", flush=True)
        if self.keep:
            os.makedirs(self.keep, exist_ok=True)
            comment = re.sub(r"\s+", " ", message)[:300]
            print(f"kept as {self.write(self.keep, name, f'// {comment}{chr(10)}{text}')}", flush=True)


def smaller(run, directory, program, message):
    """Leaves out statements as long as something of the same sort fails."""
    sort = re.split(r"[\d\[{(]", message)[0]
    at = [(thread, index) for thread, statements in enumerate(program.threads) for index in range(len(statements))]
    for thread, index in reversed(at):
        removed = program.threads[thread].pop(index)
        failed = run.look(directory, {"smaller.c": (program.kind, program.text())})
        if not failed or re.split(r"[\d\[{(]", failed["smaller.c"])[0] != sort:
            program.threads[thread].insert(index, removed)
    return program


def fuzz(run, seconds, seed):
    end = time.monotonic() + seconds
    numbers = itertools.count(seed)
    while time.monotonic() < end:
        programs = {f"seed-{number}.c": generate.generate(number, KINDS[number % len(KINDS)])
                    for number in itertools.islice(numbers, BATCH)}
        with tempfile.TemporaryDirectory() as directory:
            failed = run.look(directory, {name: (p.kind, p.text()) for name, p in programs.items()})
            for name, message in failed.items():
                program = smaller(run, directory, programs[name], message)
                run.report(name, program.text(), message)


def regressions(run, directory):
    """Programs of past failures. The second line says how many final states each model has."""
    texts = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".c"):
            with open(os.path.join(directory, name)) as file:
                texts[name] = file.read()
    with tempfile.TemporaryDirectory() as work:
        for name, message in run.look(work, {name: (kind_of(text), text) for name, text in texts.items()}).items():
            run.report(name, texts[name], message)
        paths = [os.path.join(work, name) for name in texts]
        answers = oracles.check(run.picket, paths, []) if paths else {}
        for path, name in zip(paths, texts):
            found = " ".join(f"{model}={len(answers[path][model].states)}" for model in oracles.MODELS)
            if f"// states: {found}\n" not in texts[name]:
                run.report(name, texts[name], f"the numbers of final states are {found}")


def kind_of(text):
    return re.search(r"^// seed .*, (\w+)$", text, re.M)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picket", help="the program under test")
    parser.add_argument("--seconds", type=float, default=20, help="for how long random programs are made [20]")
    parser.add_argument("--seed", type=int, help="of the first program [random]")
    parser.add_argument("--native", type=int, default=60, help="milliseconds that each program runs on this machine; 0: not [60]")
    parser.add_argument("--keep", help="where programs that show a failure are left")
    parser.add_argument("--regressions", action="store_true", help="look at past failures instead")
    arguments = parser.parse_args()
    run = Run(arguments)
    seed = random.randrange(1 << 30) if arguments.seed is None else arguments.seed
    if arguments.regressions:
        regressions(run, os.path.join(HERE, "regressions"))
    else:
        print(f"seed {seed}", flush=True)
        fuzz(run, arguments.seconds, seed)
    print(f"{run.programs} programs, {run.strange} with more final states under tso than under sc, {run.undecided} not "
          f"seen to the end, {run.compared} comparisons with optimised ones, {run.fewer} times fewer "
          f"reads-from relations than traces, {run.observations} native runs, "
          f"{run.failures} failures")
    sys.exit(1 if run.failures or not run.programs else 0)


if __name__ == "__main__":
    main()

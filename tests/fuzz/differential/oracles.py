"""What must hold between the answers about one program: those of the checker with different options, and those of the
machine."""
import json
import os
import re
import subprocess

MODELS = ["sc", "tso", "pso", "power"]
EXHAUSTIVE = ["--exhaustive", "--model", ",".join(MODELS)]
ENDINGS = {"verified", "violation"}
TOLD = 8  # bugs per model that come with a counterexample


class Failure(Exception):
    pass


class Answer:
    """What the checker says about a program under one model."""

    def __init__(self, model):
        self.verdict, self.executions = model["verdict"], model["executions"]
        self.blocked = model["blocked"] - model["rejected"]  # how many runs are begun in vain depends on the order of threads
        self.bounded, self.reason, self.bugs = model["bounded"], model["reason"], model["bugs"]
        self.robust = any(known["against"] == model["model"] and known["robust"] for known in model["robustness"])
        self.searched = "states" in model  # and not executions
        self.states, self.others = set(), []
        for bug in self.bugs:
            number = re.search(r"finalNumber != (\d+)'", bug["message"])
            if number:
                self.states.add(int(number[1]))
            else:
                self.others.append(f"{bug['message']} (line {bug['line']})")

    def is_complete(self):
        """Everything was seen: no limit was reached, no loop cut."""
        return self.verdict in ENDINGS and not self.reason and not self.bounded

    def summary(self):
        return (self.verdict, self.executions, self.blocked, self.bounded, sorted(self.states), sorted(self.others))


def check(picket, files, options):
    """The answers per file and model. A checker that crashes is a failure."""
    run = subprocess.run([picket, "check", *EXHAUSTIVE, "--json", *options, *files], capture_output=True, text=True,
                         cwd=os.path.dirname(files[0]))
    if run.returncode not in (0, 1, 3, 4):
        raise Failure(f"picket check {' '.join(options)} ended with {run.returncode}: {run.stderr[-2000:]}")
    reports = json.loads(run.stdout)
    reports = reports if isinstance(reports, list) else [reports]
    return {report["file"]: {model["model"]: Answer(model) for model in report["models"]} for report in reports}


def expect_sound(answers):
    """The programs compile, end, and do nothing wrong but fail at the assertion about their final state."""
    for model, answer in answers.items():
        if answer.verdict == "compile-error" or (answer.verdict == "unsupported" and model != "power"):
            raise Failure(f"{model}: {answer.verdict}: {answer.reason}")
        if answer.others and model in ("sc", "tso"):
            raise Failure(f"{model}: {answer.others[0]}")
        if answer.is_complete() and not answer.states and not answer.others:
            raise Failure(f"{model}: no final state among {answer.executions} executions, {answer.blocked} blocked")


def expect_inclusion(answers, kind):
    pairs = [("sc", "tso"), ("tso", "pso")] + ([("pso", "power")] if kind == "alike" else [("sc", "power")])
    for less, more in pairs:
        if not answers[less].is_complete() or not answers[more].is_complete():
            continue
        missing = answers[less].states - answers[more].states
        if missing:
            raise Failure(f"final states {sorted(missing)} of {less} are none of {more}")


def expect_robustness(answers):
    """Robust programs have the executions of SC and no others."""
    for model in ("tso", "pso"):
        if not answers[model].robust or not answers[model].is_complete() or not answers["sc"].is_complete():
            continue
        if answers[model].summary() != answers["sc"].summary():
            raise Failure(f"said to be robust under {model}, but sc: {answers['sc'].summary()}, {model}: {answers[model].summary()}")
    if all(answers[model].is_complete() for model in ("sc", "pso")) and answers["pso"].robust and not answers["tso"].robust:
        raise Failure("said to be robust under pso but not under tso")


def expect_equal(answers, others, what):
    for model in MODELS:
        left, right = answers[model], others[model]
        if left.reason or right.reason:
            continue  # limits fall where they fall
        if left.summary() != right.summary():
            raise Failure(f"{what}: {model}: {left.summary()} without, {right.summary()} with it")


def expect_same_states(answers, others, what):
    """Returns how many models could be compared."""
    compared = 0
    for model in MODELS:
        left, right = answers[model], others[model]
        if left.is_complete() != right.is_complete() and not left.reason and not right.reason:
            raise Failure(f"{what}: {model}: {left.verdict} without, {right.verdict} with it")
        if not left.is_complete() or not right.is_complete():
            if right.verdict == "unsupported" and left.verdict != "unsupported":
                raise Failure(f"{what}: {model}: unsupported: {right.reason}")
            continue
        compared += 1
        if (left.verdict, left.states, left.others) != (right.verdict, right.states, right.others):
            raise Failure(f"{what}: {model}: {left.summary()} without, {right.summary()} with it")
    return compared


def expect_fewer(answers, others):
    """Exploring by reads-from relations: the same verdicts and final states, in no more executions. Returns how many
    models have fewer."""
    expect_same_states(answers, others, "--equivalence rf")
    fewer = 0
    for model in MODELS:
        left, right = answers[model], others[model]
        if not left.is_complete() or not right.is_complete():
            continue
        if right.executions > left.executions:
            raise Failure(f"--equivalence rf: {model}: {right.executions} relations of {left.executions} traces")
        fewer += right.executions < left.executions
    return fewer


def expect_replay(picket, answers, directory):
    """The first bugs have a counterexample, and one of each model fails again."""
    for model in MODELS:
        told = answers[model].bugs[:TOLD]
        traces = [bug["counterexample"] for bug in told if "counterexample" in bug]
        if len(traces) < len(told):
            raise Failure(f"{model}: {len(told) - len(traces)} bugs of {len(told)} have no counterexample")
        if not traces:
            continue
        path = os.path.join(directory, "trace.json")
        with open(path, "w") as file:
            json.dump(traces[-1], file)
        run = subprocess.run([picket, "replay", path], capture_output=True, text=True, cwd=directory)
        if run.returncode != 1:
            raise Failure(f"replay under {model} ended with {run.returncode}: {run.stdout[-500:]}{run.stderr[-500:]}")


def expect_observed(answers, observed):
    """What the machine does, TSO allows."""
    if not answers["tso"].is_complete():
        return
    missing = {number: times for number, times in observed.items() if number not in answers["tso"].states}
    if missing:
        raise Failure(f"observed, but not found under tso: {missing} (found: {sorted(answers['tso'].states)})")


def observe(compiler, path, milliseconds):
    """Runs the program on this machine: how often each final state came up."""
    program = path[:-2] + ".out"
    subprocess.run([*compiler, "-DNATIVE", "-w", path, "-o", program, "-pthread"], check=True)
    try:
        run = subprocess.run([program, str(milliseconds)], capture_output=True, text=True, timeout=1800 + milliseconds / 100)
    except subprocess.TimeoutExpired as error:
        raise Failure("the program does not end on this machine") from error
    if run.returncode:
        raise Failure(f"the program ended with {run.returncode} on this machine")
    return {int(number): int(times) for number, times in (line.split() for line in run.stdout.splitlines())}

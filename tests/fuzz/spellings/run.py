#!/usr/bin/env python3
"""Random programs whose threads go on only if a condition holds, in all the ways to write that: __VERIFIER_assume, an early
exit, everything else inside an `if`, a loop that waits, an assertion; and for locks trylock and lock. All have the same final
states under every model, and the same number of complete executions."""
import itertools
import os
import random
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DIFFERENTIAL = os.path.join(os.path.dirname(HERE), "differential")
sys.path.insert(0, DIFFERENTIAL)
import batches  # noqa: E402
import oracles  # noqa: E402
from oracles import Failure  # noqa: E402

BATCH = 6  # programs that one process of the checker looks at
LIMITS = ["--timeout", "2s", "--max-memory", "1G", "--jobs", "1"]
SPELLINGS = ["assume", "return", "inside", "exit", "await", "goto", "assert", "error"]
# Which of them have as many complete executions as which others. Where a thread waits in vain or an assertion fails, that is
# an execution of its own.
ALIKE = [["assume", "return", "inside", "exit"], ["await", "goto"], ["assert", "error"]]
VARIABLES = "xyz"

HEAD = """\
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern void __VERIFIER_error(void);
static atomic_int x, y, z;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int failed[THREADS], seen[THREADS];
#define LOAD(v, order) atomic_load_explicit(&v, memory_order_##order)
#define STORE(v, k, order) atomic_store_explicit(&v, k, memory_order_##order)
static void reset(void) {}
static unsigned finalState(void) {
  unsigned h = 17;
  for (int k = 0; k < THREADS; ++k) {
    __VERIFIER_assume(!failed[k]);
    h = h * 31 + (unsigned)seen[k];
  }
  return ((h * 31 + (unsigned)x) * 31 + (unsigned)y) * 31 + (unsigned)z;
}
"""


class Program:
    """Statements are tuples; those that need a condition are spelled later."""

    def __init__(self, seed):
        self.seed = seed
        chance = random.Random(seed)
        # What a model may reorder shows where little else is in the way: two variables, and nothing ordered.
        bare = chance.randrange(2)
        self.threads = [self.body(chance, bare) for _ in range(chance.choice([2, 2, 2, 3]))]

    @staticmethod
    def body(chance, bare):
        statements, locked = [], False
        if bare:
            first, last = ("y", "x") if chance.randrange(4) else ("x", "y")
            fence = ("fence", chance.choice(["release", "release", "seq_cst"]))
            if chance.randrange(5) < 2:  # publishes
                return [("store", last, chance.choice("12"), "relaxed"), fence, ("store", first, "1", "relaxed")]
            statements = [("wait", first, 1, "relaxed")] if chance.randrange(2) else [("load", first, 0, "relaxed"),
                                                                                     ("guard", "r == 1")]
            statements.append(chance.choice([("store", last, "1", "relaxed"), ("store", last, "2", "relaxed"),
                                             ("load", last, 0, "relaxed"), ("store", "z", "1", "relaxed")]))
            other = chance.choice([("store", "z", "1", "relaxed"), ("load", "z", 0, "relaxed"), ("isync",), ("isync",),
                                   ("lock",), ("fence", "acquire")])
            statements.insert(chance.choice([0, 1, 2, len(statements) - 1]), other)
            return statements + ([("unlock",)] if other == ("lock",) else [])
        for _ in range(chance.randint(2, 4)):
            v, k = chance.choice(VARIABLES), chance.randint(0, 2)
            kind = chance.choice(["store", "store", "store", "load", "load", "guard", "guard", "wait", "wait", "lock", "fence",
                                  "add", "isync"])
            if kind == "lock":
                statements.append(("unlock",) if locked else ("lock",))
                locked = not locked
            elif kind == "isync":
                statements.append(("isync",))
            elif kind == "fence":
                statements.append(("fence", chance.choice(["seq_cst", "acq_rel", "release", "acquire"])))
            elif kind == "store":
                statements.append(("store", v, chance.choice([str(max(1, k)), "1", "2", "r + 1"]),
                                   chance.choice(["relaxed", "relaxed", "relaxed", "release", "seq_cst"])))
            elif kind == "guard":
                statements.append(("guard", f"r {chance.choice(['==', '!=', '<'])} {k}"))
            else:
                order = chance.choice(["relaxed", "relaxed", "relaxed", "acquire", "seq_cst"])
                statements.append((kind, v, max(1, k) if kind == "wait" and chance.randrange(4) else k, order))
        if locked:
            statements.append(("unlock",))
        return statements

    def text(self, spelling):
        parts = [f"// seed {self.seed}, {spelling}\n#define THREADS {len(self.threads)}\n", HEAD]
        for number, statements in enumerate(self.threads):
            parts.append(f"static void *t{number}(void *p) {{\n  int r = 0, s = 0;\n")
            closing = 0
            for index, statement in enumerate(statements):
                lines, opens = spell(statement, spelling, number, index)
                parts.append("".join(f"  {line}\n" for line in lines))
                closing += opens
            parts.append(f"  seen[{number}] = s * 3 + r;\n")
            parts.append(f"  }} else failed[{number}] = 1;\n" * closing + "  return p;\n}\n")
        names = ", ".join(f"t{number}" for number in range(len(self.threads)))
        parts.append(f"static void *(*const bodies[THREADS])(void *) = {{{names}}};\n#include \"harness.h\"\n")
        return "".join(parts)


def condition(holds, spelling, number):
    """Lines after which the condition holds, and how many blocks they leave open."""
    if spelling == "inside":
        return [f"if ({holds}) {{"], 1
    return [{"assume": f"__VERIFIER_assume({holds});",
             "return": f"if (!({holds})) {{ failed[{number}] = 1; return p; }}",
             "exit": f"if (!({holds})) {{ failed[{number}] = 1; pthread_exit(p); }}",
             "await": f"if (!({holds})) {{ failed[{number}] = 1; return p; }}",
             "goto": f"if (!({holds})) {{ failed[{number}] = 1; return p; }}",
             "assert": f"__VERIFIER_assert({holds});",
             "error": f"if (!({holds})) __VERIFIER_error();"}[spelling]], 0


def spell(statement, spelling, number, index):
    kind, *rest = statement
    if kind == "store":
        return [f"STORE({rest[0]}, {rest[1]}, {rest[2]});"], 0
    if kind == "load":
        return [f"s = r; r = LOAD({rest[0]}, {rest[2]});"], 0
    if kind == "add":
        return [f"s = r; r = atomic_fetch_add_explicit(&{rest[0]}, 1, memory_order_{rest[2]});"], 0
    if kind == "fence":
        return [f"atomic_thread_fence(memory_order_{rest[0]});"], 0
    if kind == "isync":
        return ['__asm__ volatile("isync" ::: "memory");'], 0
    if kind == "unlock":
        return ["pthread_mutex_unlock(&m);"], 0
    if kind == "guard":
        return condition(rest[0], spelling, number)
    if kind == "lock":
        if spelling in ("await", "goto"):
            return ["pthread_mutex_lock(&m);"], 0
        return condition("pthread_mutex_trylock(&m) == 0", spelling, number)
    v, k, order = rest  # wait
    if spelling == "await":
        return [f"while (LOAD({v}, {order}) != {k})", "  ;"], 0
    if spelling == "goto":
        return [f"again{index}:", f"if (LOAD({v}, {order}) != {k}) goto again{index};"], 0
    return condition(f"LOAD({v}, {order}) == {k}", spelling, number)


def compare(answers):
    """{spelling: {model: Answer}} of one program. Returns how many comparisons there were."""
    compared = 0
    for model in oracles.MODELS:
        complete = {name: answer[model] for name, answer in answers.items() if answer[model].is_complete()}
        for name, answer in answers.items():
            if answer[model].verdict in ("unsupported", "compile-error"):
                raise Failure(f"{name}: {model}: {answer[model].verdict}: {answer[model].reason}")
        for (left, one), (right, other) in itertools.combinations(complete.items(), 2):
            compared += 1
            if one.states != other.states:
                raise Failure(f"{model}: final states {sorted(one.states)} with '{left}', {sorted(other.states)} with '{right}'")
            alike = any(left in group and right in group for group in ALIKE)
            if (alike or not (one.others or other.others)) and one.executions != other.executions:
                raise Failure(f"{model}: {one.executions} executions with '{left}', {other.executions} with '{right}'")
    return compared


def look(picket, directory, programs, options):
    """What is wrong with which of them: {number: message}, and the number of comparisons."""
    shutil.copy(os.path.join(DIFFERENTIAL, "harness.h"), directory)
    paths = {}
    for number, program in programs.items():
        for spelling in SPELLINGS:
            path = os.path.join(directory, f"{number}-{spelling}.c")
            with open(path, "w") as file:
                file.write(program.text(spelling))
            paths[path] = (number, spelling)
    found = oracles.check(picket, list(paths), [*LIMITS, *options, "-w"])
    answers = {}
    for path, (number, spelling) in paths.items():
        answers.setdefault(number, {})[spelling] = found[path]
    failed, compared = {}, 0
    for number, answer in answers.items():
        try:
            compared += compare(answer)
        except Failure as failure:
            failed[number] = str(failure)
    return failed, compared


def smaller(picket, directory, program, options, message):
    batches.leave_out(reversed(program.threads), message,
                      lambda: look(picket, directory, {0: program}, options)[0].get(0))
    return program


def main():
    arguments = batches.arguments_of(__doc__)
    made = compared = failures = 0
    for programs in batches.batches(arguments, BATCH, Program):
        made += len(programs)
        for options in ([], ["--equivalence", "rf"]):
            with tempfile.TemporaryDirectory() as directory:
                failed, some = look(arguments.picket, directory, programs, options)
                compared += some
                for number, message in failed.items():
                    failures += 1
                    print(f"FAILED seed {number} {' '.join(options)}: {message}", flush=True)
                    program = smaller(arguments.picket, directory, programs[number], options, message)
                    for spelling in SPELLINGS if arguments.keep else []:
                        batches.keep(arguments.keep, f"spelling-{number}-{spelling}.c",
                                     f"// {' '.join(options)} {message}\n{program.text(spelling)}")
    print(f"{made} programs, {compared} comparisons, {failures} failures")
    sys.exit(1 if failures or not compared else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Random programs whose threads wait: in loops with several ways round, in loops inside loops, for locks that may never be
released. Who finds that a thread waits for ever must not depend on how the program is looked at:

- executions by traces, by reads-from relations and searches through states agree on the kinds of bugs;
- what goes wrong under SC goes wrong under TSO, that under PSO, and what goes wrong under SC also under POWER;
- where all accesses are sequentially consistent, the models agree;
- nothing is verified by no execution at all.
"""
import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "differential"))
import batches  # noqa: E402
import oracles  # noqa: E402
from oracles import Failure  # noqa: E402

BATCH = 12  # programs that one process of the checker looks at
LIMITS = ["--timeout", "2s", "--max-memory", "1G", "--jobs", "1", "-w"]
ENGINES = {"traces": ["--engine", "bounded", "--no-monitor"], "relations": ["--engine", "bounded", "--equivalence", "rf"],
           "states": ["--engine", "lazy"], "default": []}
VARIABLES = "abc"

HEAD = """\
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b, c, held;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOAD(v) atomic_load_explicit(&v, memory_order_ORDER)
#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_ORDER)
#define TAKEN(v) (atomic_exchange_explicit(&v, 1, memory_order_ORDER) != 0)
static int swapped(atomic_int *v, int k, int n) { return atomic_compare_exchange_strong(v, &k, n); }
"""


class Program:
    def __init__(self, seed):
        self.seed = seed
        self.chance = random.Random(seed)
        threads = self.chance.choice([0, 1, 2, 2, 2, 2, 3])
        self.order = self.chance.choice(["relaxed", "seq_cst", "seq_cst"])
        self.main = [self.statement()] if self.chance.randrange(6) == 0 or not threads else []
        self.threads = [self.body() for _ in range(threads)]
        self.ends = False  # surely, under every model
        if len(self.threads) > 1 and self.chance.randrange(4) == 0:
            self.threads[:2] = self.ring()
            if self.chance.randrange(2):
                self.threads, self.main, self.ends = [[self.threads[0][0]], self.threads[1]], [], True
        self.joins = self.chance.randrange(4) > 0

    def ring(self):
        """A producer and a consumer that wait for each other again and again."""
        slots, items = self.chance.randint(1, 2), self.chance.randint(2, 3)
        full = self.chance.choice([f"while (i - LOAD(b) == {slots}) ;", f"while (i - LOAD(b) == {slots}) {{ if (TAKEN(held)) ; }}",
                                   f"do {{ while (i - LOAD(b) == {slots}) ; }} while (LOAD(c) == 1);"])
        empty = self.chance.choice(["while (LOAD(a) == i) ;", "for (;;) { if (LOAD(a) == i) continue; break; }",
                                    "for (;;) { while (LOAD(c) == 2) ; if (LOAD(a) != i) break; }"])
        odd = self.chance.choice(["", "", "STORE(c, 1);", self.statement()])
        return [[f"for (int i = 0; i < {items}; ++i) {{ {full} STORE(a, i + 1); }}", odd],
                [f"for (int i = 0; i < {items}; ++i) {{ {empty} STORE(b, i + 1); }}"]]

    def body(self):
        waits = self.chance.randrange(3) > 0
        statements = [self.store() for _ in range(self.chance.randint(0, 2))]
        if waits and self.chance.randrange(3) == 0:  # the same wait again and again, as with a ring of slots
            v, w = self.chance.sample(VARIABLES, 2)
            wait = self.chance.choice([self.loop(1), f"while (LOAD({v}) == i) ;", f"while (LOAD({v}) != i) ;"])
            then = self.chance.choice([self.store(), f"STORE({w}, i + 1);", f"STORE({w}, i);"])
            statements.append(f"for (int i = 0; i < {self.chance.choice([2, 2, 3])}; ++i) {{ {wait} {then} }}")
        elif waits:
            statements.insert(self.chance.randint(0, len(statements)), self.loop(2))
        if self.chance.randrange(4) == 0:
            statements.append(self.statement())
        return statements or [self.store()]

    def statement(self):
        return self.chance.choice([self.store, self.store, lambda: self.loop(1)])()

    def condition(self):
        """Keeps a thread waiting as long as it holds."""
        v, w = self.chance.choice(VARIABLES), self.chance.choice(VARIABLES)
        k, n = self.chance.randint(0, 1), self.chance.randint(0, 1)
        return self.chance.choice([f"LOAD({v}) == {k}", f"LOAD({v}) != {k}", f"LOAD({v}) == {k}", f"TAKEN({v})", "TAKEN(held)",
                                   f"LOAD({v}) == {k} && LOAD({w}) == {n}", f"LOAD({v}) == {k} || LOAD({w}) == {n}",
                                   f"!swapped(&{v}, {k}, {n})"])

    def store(self):
        v, k = self.chance.choice(VARIABLES), self.chance.randint(0, 1)
        return self.chance.choice([f"STORE({v}, {max(k, self.chance.randint(0, 1))});", f"STORE({v}, 1);", "STORE(held, 0);",
                                   f"TAKEN({v});", "pthread_mutex_lock(&m);", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"])

    def loop(self, depth):
        kind = self.chance.randrange(8 if depth else 3)
        c, d = self.condition(), self.condition()
        if kind == 0:
            return f"while ({c}) ;"
        if kind == 1:
            return f"while ({c}) if ({d}) break;"
        if kind == 2:
            return f"do ; while ({c});"
        if kind == 3:
            return f"for (;;) {{ {self.loop(depth - 1)} if (!({c})) break; }}"
        if kind == 4:
            return f"do {{ {self.loop(depth - 1)} }} while ({c});"
        if kind == 5:
            return f"for (;;) {{ if ({c}) {{ {self.loop(depth - 1)} }} else if (!({d})) break; }}"
        if kind == 6:
            return f"for (;;) {{ if ({c}) continue; if ({d}) continue; break; }}"
        return f"while ({c}) {{ if ({d}) {{ {self.loop(depth - 1)} }} }}"

    def text(self):
        parts = [f"// seed {self.seed}\n", HEAD.replace("ORDER", self.order)]
        for number, statements in enumerate(self.threads):
            lines = "".join(f"  {statement}\n" for statement in statements)
            parts.append(f"static void *t{number}(void *p) {{\n{lines}  return p;\n}}\n")
        parts.append(f"int main(void) {{\n  pthread_t t[{len(self.threads) + 1}];\n")
        for number in range(len(self.threads)):
            parts.append(f"  pthread_create(&t[{number}], 0, t{number}, 0);\n")
        parts += [f"  {statement}\n" for statement in self.main]
        for number in range(len(self.threads) if self.joins else 0):
            parts.append(f"  pthread_join(t[{number}], 0);\n")
        return "".join(parts) + "  return 0;\n}\n"


def kinds(answer):
    return sorted({bug["kind"] for bug in answer.bugs})


def compare(answers, program):
    """{engine: {model: Answer}} of one program. Returns how many threads were found to wait for ever."""
    for engine, models in answers.items():
        for model, answer in models.items():
            if answer.verdict in ("unsupported", "compile-error"):
                raise Failure(f"{engine}: {model}: {answer.verdict}: {answer.reason}")
            if "cannot say why" in answer.reason or "mistake" in answer.reason:
                raise Failure(f"{engine}: {model}: {answer.reason}")
            if answer.verdict == "verified" and not answer.executions and engine != "states" and not answer.searched:
                raise Failure(f"{engine}: {model}: verified by no execution")
    for model in oracles.MODELS:
        first = None
        for engine, models in answers.items():
            answer = models[model]
            if not answer.is_complete():
                continue
            first = first or (engine, answer)
            only_first = answer.searched and model in ("tso", "pso") and answer.bugs and first[1].bugs  # of the bugs is told
            if kinds(answer) != kinds(first[1]) and not only_first:
                raise Failure(f"{model}: {kinds(first[1])} with {first[0]}, {kinds(answer)} with {engine}")
    for models in answers.values():
        for less, more in (("sc", "tso"), ("tso", "pso"), ("sc", "power")):
            if models[more].is_complete() and not models[more].searched and set(kinds(models[less])) - set(kinds(models[more])):
                raise Failure(f"{kinds(models[less])} under {less}, {kinds(models[more])} under {more}")
    if program.ends:
        for engine, models in answers.items():
            for model, answer in models.items():
                if answer.bugs:
                    raise Failure(f"{engine}: {model}: {kinds(answer)} in a program that ends")
    if program.order == "seq_cst":
        for models in answers.values():
            complete = [model for model in oracles.MODELS if models[model].is_complete() and not models[model].searched]
            if len({str(kinds(models[model])) for model in complete}) > 1:
                raise Failure("sequentially consistent, but " + ", ".join(f"{m}: {kinds(models[m])}" for m in complete))
    # What is found up to a bound is there without it.
    for model in ("sc", "tso", "pso"):
        states, traces = answers["states"][model], answers["traces"][model]
        if states.is_complete() and traces.bugs and not states.bugs:
            raise Failure(f"{model}: {kinds(traces)} with traces, {kinds(states)} with states")
    return sum(len(kinds(models[model])) > 0 for models in answers.values() for model in oracles.MODELS)


def look(picket, directory, programs):
    """What is wrong with which of them: {number: message}, and how many of the answers were bugs."""
    paths = {}
    for number, program in programs.items():
        path = os.path.join(directory, f"waits-{number}.c")
        with open(path, "w") as file:
            file.write(program.text())
        paths[path] = number
    answers = {number: {} for number in programs}
    for engine, options in ENGINES.items():
        for path, found in oracles.check(picket, list(paths), [*LIMITS, *options]).items():
            answers[paths[path]][engine] = found
    failed, stuck = {}, 0
    for number, answer in answers.items():
        try:
            stuck += compare(answer, programs[number])
        except Failure as failure:
            failed[number] = str(failure)
    return failed, stuck


def smaller(picket, directory, program, message):
    if not program.ends:
        batches.leave_out([*program.threads, program.main], message,
                          lambda: look(picket, directory, {0: program})[0].get(0))
    return program


def main():
    arguments = batches.arguments_of(__doc__)
    made = stuck = failures = 0
    for programs in batches.batches(arguments, BATCH, Program):
        made += len(programs)
        with tempfile.TemporaryDirectory() as directory:
            failed, some = look(arguments.picket, directory, programs)
            stuck += some
            for number, message in failed.items():
                failures += 1
                print(f"FAILED seed {number}: {message}", flush=True)
                program = smaller(arguments.picket, directory, programs[number], message)
                if arguments.keep:
                    batches.keep(arguments.keep, f"waits-{number}.c", f"// {message}\n{program.text()}")
    print(f"{made} programs, {stuck} answers that threads wait for ever, {failures} failures")
    sys.exit(1 if failures or not stuck else 0)


if __name__ == "__main__":
    main()

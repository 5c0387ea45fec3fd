// What needs no browser: steps, boxes, words, the viewport.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCounterexamples } from "../src/data";
import { cutsOf, isCut, linesOf, readFixes, type Change } from "../src/fixes";
import { edgeOfId, Nodes } from "../src/nodes";
import { StepSequence } from "../src/stepSequence";
import { Viewport } from "../src/viewport";
import { asText, edgeInWords, modelAndTarget, stepInWords } from "../src/words";
import { fixture, fixtureNames } from "./fixtures";

const idsIn = (svg: string) =>
  [...svg.matchAll(/id="((?:event|fold)[^"]*)"/g)].map((match) => match[1]!.replaceAll("&#45;", "-"));

test("one counterexample and an array of them are both read", () => {
  assert.equal(readCounterexamples(fixture("dekker")).length, 1);
  assert.equal(readCounterexamples([fixture("dekker"), fixture("account")]).length, 2);
});

test("what is not a counterexample is refused with a reason", () => {
  assert.throws(() => readCounterexamples([]), /holds no counterexample/);
  assert.throws(() => readCounterexamples("text"), /not a counterexample/);
  assert.throws(() => readCounterexamples({ ...fixture("dekker"), picket: 2 }), /version 1, not 2/);
  assert.throws(() => readCounterexamples({ ...fixture("dekker"), steps: undefined }), /no steps/);
  const broken = fixture("dekker");
  broken.steps[3]!.event = 99;
  assert.throws(() => readCounterexamples(broken), /Step 4 is about an event that is not there/);
});

test("a model is named with its target where that is not the machine that checked it", () => {
  const [data] = readCounterexamples({ ...fixture("publication"), model: "power", modelTitle: undefined });
  assert.equal(modelAndTarget({ ...data!, target: "x86_64" }), "POWER");
  const elsewhere = { ...data!, target: "powerpc64le", host: "x86_64" };
  assert.equal(modelAndTarget(elsewhere), "POWER (powerpc64le)");
  assert.match(asText(new StepSequence(elsewhere)), /^Model: POWER \(powerpc64le\)/m);
});

test("optional parts may be missing", () => {
  const { cycle: _, sources: __, ...rest } = fixture("dekker");
  const [data] = readCounterexamples(rest);
  assert.deepEqual(data!.cycle, { edges: [], reordered: [], late: [] });
  assert.equal(new StepSequence(data!).sourceLine(data!.events[2]!), "");
});

test("the steps know the program's own lines, names and places", () => {
  const sequence = new StepSequence(fixture("dekker"));
  assert.equal(sequence.length, 14);
  assert.deepEqual(
    sequence.threads.map((thread) => sequence.threadName(thread)),
    ["main", "left", "right"],
  );
  assert.equal(sequence.sourceLine(sequence.eventOfStep(2)), "flag0 = 1;");
  assert.equal(sequence.placeText(sequence.eventOfStep(2)), "line 11");
  assert.equal(sequence.placeText({ file: "include/lock.h", line: 7, column: 1 }), "lock.h:7");
  assert.equal(sequence.placeText({ file: "dekker.c", line: 0, column: 0 }), "");
});

test("a variable counts as changed only in the step that changes memory", () => {
  const sequence = new StepSequence(fixture("dekker"));
  const changed = (step: number) =>
    sequence
      .variables(step)
      .filter((v) => v.value !== v.before)
      .map((v) => `${v.name} ${v.before} ${v.value}`);
  assert.deepEqual(changed(2), [], "a store that waits does not change memory");
  assert.deepEqual(changed(8), ["flag0 0 1"]);
  assert.deepEqual(changed(11), ["inside 1 2"]);
});

test("buffers are one queue under TSO and one per variable under PSO", () => {
  const tso = new StepSequence(fixture("dekker"));
  assert.deepEqual(
    tso.bufferingThreads.map((thread) => tso.threadName(thread)),
    ["left", "right"],
  );
  assert.deepEqual(
    tso.queues(4, 1).map((queue) => queue.stores.length),
    [2],
  );
  assert.deepEqual(tso.queues(13, 1), []);
  const pso = new StepSequence(fixture("publication"));
  assert.deepEqual(
    pso.queues(3, 1).map((queue) => queue.stores.map((store) => pso.variableName(store.variable))),
    [["message"], ["ready"]],
  );
});

test("the call stack is innermost first", () => {
  const sequence = new StepSequence(fixture("account"));
  assert.deepEqual(
    sequence.stack(2).map((frame) => frame.function),
    ["read_balance", "customer"],
  );
  assert.equal(sequence.stack(2)[1]!.place.line, 26);
});

test("what is folded is inside of the place that is shown", () => {
  const data = fixture("account");
  const event = data.events[data.steps[2]!.event]!;
  event.folded = [{ function: "atomic_read", file: "atomics.h", line: 7, column: 3 }];
  const stack = new StepSequence(data).stack(2);
  assert.deepEqual(
    stack.map((frame) => [frame.function, frame.folded]),
    [
      ["atomic_read", true],
      ["read_balance", false],
      ["customer", false],
    ],
  );
});

test("out-of-order steps are found in both directions", () => {
  const sequence = new StepSequence(fixture("dekker"));
  assert.equal(sequence.nextOutOfOrder(-1, 1), 2);
  assert.equal(sequence.nextOutOfOrder(2, 1), 6);
  assert.equal(sequence.nextOutOfOrder(6, 1), undefined);
  assert.equal(sequence.nextOutOfOrder(6, -1), 2);
});

test("a line is found after the current step first, also by an absolute path", () => {
  const sequence = new StepSequence(fixture("dekker"));
  assert.equal(sequence.stepAtLine("dekker.c", 11, 0), 2);
  assert.equal(sequence.stepAtLine("/home/me/dekker.c", 11, 2), 8, "the update has the line of its store");
  assert.equal(sequence.stepAtLine("/home/me/dekker.c", 11, 8), 2);
  assert.equal(sequence.stepAtLine("/home/me/xdekker.c", 11, 8), undefined);
  assert.equal(sequence.stepAtLine("dekker.c", 1, 0), undefined);
});

for (const name of fixtureNames)
  test(`${name}: every step has a box in both pictures, and a box leads back to its step`, () => {
    const sequence = new StepSequence(fixture(name));
    for (const view of ["chronological", "shashaSnir"] as const) {
      const graph = sequence.data[view]!;
      const nodes = new Nodes(sequence, graph, idsIn(graph.svg!));
      sequence.data.steps.forEach(({ event }, step) => {
        const box = nodes.boxOf(event);
        assert.ok(box, `step ${step + 1} in ${view}`);
        const steps = nodes.stepsOf(box);
        if (view === "chronological") assert.ok(steps.includes(step));
        else if (sequence.event(event).kind === "update")
          assert.equal(box, nodes.boxOf(sequence.event(event).partner!));
      });
    }
  });

test("a folded box holds its own thread's run, updates apart from the rest", () => {
  const sequence = new StepSequence(fixture("ring"));
  const graph = sequence.data.chronological!;
  const own = (kind: boolean) =>
    graph.nodes.filter((n) => sequence.event(n).thread === 1 && (sequence.event(n).kind === "update") === kind);
  const [others, updates] = [own(false), own(true)];
  const nodes = new Nodes(sequence, graph, [
    `fold-${others[1]}-${others[6]}`,
    `fold-${updates[0]}-${updates[2]}`,
    `event-${others[3]}`,
  ]);
  assert.deepEqual(
    nodes.eventsOf(`fold-${others[1]}-${others[6]}`),
    [1, 2, 4, 5, 6].map((i) => others[i]),
  );
  assert.deepEqual(nodes.eventsOf(`fold-${updates[0]}-${updates[2]}`), updates.slice(0, 3));
  assert.equal(nodes.boxOf(updates[1]!), `fold-${updates[0]}-${updates[2]}`);
});

test("clicking a folded box again walks through its steps", () => {
  const sequence = new StepSequence(fixture("ring"));
  const graph = sequence.data.chronological!;
  const nodes = new Nodes(sequence, graph, idsIn(graph.svg!));
  const fold = idsIn(graph.svg!).find((id) => id.startsWith("fold-"))!;
  const steps = nodes.stepsOf(fold);
  assert.ok(steps.length > 2);
  assert.equal(nodes.stepFor(fold, 0), steps[0]);
  assert.equal(nodes.stepFor(fold, steps[0]!), steps[1]);
  assert.equal(nodes.stepFor(fold, steps.at(-1)!), steps[0]);
  assert.equal(nodes.stepFor("event-99999", 0), undefined);
});

test("edge ids are read, other ids are not", () => {
  assert.deepEqual(edgeOfId("edge-3-12-src"), { from: 3, to: 12, kind: "src" });
  for (const id of ["event-3", "edge-3-12", "legend-1", "edge-a-b-po"]) assert.equal(edgeOfId(id), undefined);
});

test("a step and the edges of the cycle in words", () => {
  const sequence = new StepSequence(fixture("dekker"));
  assert.equal(stepInWords(sequence, 3), "Step 4 of 14, left, line 12: reads 0 from flag1.");
  assert.match(
    stepInWords(sequence, 2),
    /it waits in the store buffer\. This store was still in the store buffer when/,
  );
  const words = sequence.data.cycle.edges.map((edge) => edgeInWords(sequence, edge));
  assert.ok(
    words.includes(
      "The store of 1 to flag0 (left, line 11) comes before the load of 0 from flag1 (left, line 12) in the program.",
    ),
  );
  assert.ok(
    words.includes(
      "The load of 0 from flag1 (left, line 12) happened before the store of 1 to flag1 (right, line 29) changed the value.",
    ),
  );
});

test("the text export has every step, the remarks and the cycle", () => {
  const sequence = new StepSequence(fixture("dekker"));
  const text = asText(sequence);
  assert.match(text, /^dekker\.c:21:3: assertion failed: inside == 1\nModel: TSO, in thread left\n/);
  assert.ok(text.includes(sequence.data.sentence));
  assert.match(text, /^\* {2}3 {2}left {3}line 11: stores 1 to `flag0`: it waits in the store buffer$/m);
  assert.match(text, /^ +\| flag0 = 1;$/m);
  assert.equal(text.match(/^[* ] +\d+ {2}(main|left|right)/gm)!.length, 14);
  assert.match(text, /So the store to `flag0` at line 11 took effect after the load of `flag1` at line 12\./);
  assert.ok(!asText(new StepSequence(fixture("account"))).includes("Why no order"));
});

test("fitting shows the whole picture and does not blow up a small one", () => {
  const port = new Viewport({ width: 600, height: 400 }, { x: 0, y: 0, width: 1000, height: 300 });
  port.fit();
  const [x, y, width, height] = port.viewBox.split(" ").map(Number) as [number, number, number, number];
  assert.ok(x <= 0 && x + width >= 1000 && y <= 0 && y + height >= 300, port.viewBox);
  const small = new Viewport({ width: 600, height: 400 }, { x: 0, y: 0, width: 50, height: 50 });
  small.fit();
  assert.equal(small.scale, 1.25);
});

test("a picture too large to read opens at its beginning in a readable size", () => {
  const port = new Viewport({ width: 600, height: 400 }, { x: 10, y: 20, width: 1000, height: 9000 });
  port.open();
  assert.ok(port.scale >= 0.6);
  assert.ok(port.x <= 10 && port.y <= 20 && port.y > -20, port.viewBox);
});

test("zooming keeps the point under the pointer, panning never loses the picture", () => {
  const port = new Viewport({ width: 600, height: 400 }, { x: 0, y: 0, width: 3000, height: 3000 });
  port.scale = 1;
  port.x = port.y = 1000;
  port.zoom(2, 100, 50);
  assert.deepEqual([port.x, port.y, port.scale], [1050, 1025, 2]);
  port.pan(-1e6, 1e6);
  assert.ok(port.x < 3000 && port.y > -300);
  port.reveal({ x: 2000, y: 2000, width: 100, height: 40 });
  assert.ok(port.x < 2000 && port.x + 300 > 2100 && port.y < 2000 && port.y + 200 > 2040);
});

test("what is in the middle stays there when the canvas changes its size", () => {
  const port = new Viewport({ width: 600, height: 400 }, { x: 0, y: 0, width: 3000, height: 3000 });
  port.scale = 2;
  [port.x, port.y] = [1000, 1200];
  port.resize({ width: 400, height: 1000 });
  assert.deepEqual([port.x, port.y, port.scale], [1050, 1050, 2]);
});

test("the build gives the same bytes again, and nothing that would end its element", () => {
  const files = ["page.js", "page.css", "template.html"];
  const hash = () =>
    files.map((name) =>
      createHash("sha256")
        .update(readFileSync(`dist/${name}`))
        .digest("hex"),
    );
  const before = hash();
  execFileSync(process.execPath, ["scripts/build.mjs"]);
  assert.deepEqual(hash(), before);
  const template = readFileSync("dist/template.html", "utf8");
  for (const part of ["STYLE", "SCRIPT", "DATA"]) assert.equal(template.split(`<!--PICKET-${part}-->`).length, 2, part);
});

const place = (line: number, column = 3, file = "/somewhere/dekker.c") => ({ file, line, column });
const fence = (earlier: number, later: number): Change => ({
  text: `a fence after line ${earlier}`,
  kind: "fence",
  earlier: place(earlier),
  later: place(later),
});
const fixWith = (...changes: Change[]) => ({ id: "1", title: "Add fences", models: ["tso"], changes, diff: "" });

test("a fence cuts the reordered pair it stands between, and the edge of the cycle", () => {
  const sequence = new StepSequence(fixture("dekker"));
  const cuts = cutsOf(sequence, fixWith(fence(11, 12), fence(29, 30)));
  assert.deepEqual(cuts, [
    { first: 2, second: 3, changes: [0] },
    { first: 9, second: 10, changes: [1] },
  ]);
  const marked = sequence.data.cycle.edges.filter((edge) => isCut(sequence, edge, cuts));
  assert.deepEqual(
    marked.map(({ from, to }) => [from, to]),
    [
      [2, 3],
      [9, 10],
    ],
  );
  assert.deepEqual(
    cutsOf(sequence, fixWith(fence(11, 12))).map(({ first }) => first),
    [2],
    "the other thread's is not cut",
  );
  assert.deepEqual(cutsOf(sequence, fixWith(fence(12, 20))), [], "behind both accesses");
  assert(!sequence.data.cycle.edges.some((edge) => isCut(sequence, edge, [])));
});

test("a fence may be known by one of its sides only, or stand where ways meet", () => {
  const sequence = new StepSequence(fixture("dekker"));
  const nowhere = place(0);
  assert.equal(cutsOf(sequence, fixWith({ ...fence(11, 12), later: nowhere })).length, 1);
  assert.equal(cutsOf(sequence, fixWith({ ...fence(11, 12), earlier: nowhere })).length, 1);
  assert.equal(cutsOf(sequence, fixWith({ ...fence(11, 12), later: place(13, 9) })).length, 1, "no access is there");
  assert.equal(cutsOf(sequence, fixWith({ ...fence(11, 12), earlier: place(11, 3, "/other/lock.h") })).length, 0);
});

test("a stronger order of one of the two accesses cuts as well", () => {
  const sequence = new StepSequence(fixture("dekker"));
  const order = (line: number): Change => ({
    text: "the order",
    kind: "order",
    earlier: place(line),
    later: place(line),
  });
  assert.deepEqual(
    cutsOf(sequence, fixWith(order(11), order(30))).map(({ changes }) => changes),
    [[0], [1]],
  );
  assert.deepEqual(cutsOf(sequence, fixWith(order(21))), []);
});

test("fixes that do not fit are left out", () => {
  const good = fixWith(fence(11, 12));
  assert.deepEqual(readFixes([good, { ...good, changes: [{ text: "x" }] }, { id: 3 }, null, "text"]), [good]);
  assert.deepEqual(readFixes(undefined), []);
});

test("a difference is shown line by line, with the numbers of the text as it is", () => {
  const lines = linesOf(
    "--- a/x.c\n+++ b/x.c\n@@ -10,2 +10,3 @@\n int a;\n+fence();\n int b;\n@@ -20,1 +21,1 @@\n-old\n+new\n\\ No newline at end of file\n",
  );
  assert.deepEqual(
    lines.map(({ kind, text, line }) => [kind, text, line]),
    [
      ["same", "int a;", 10],
      ["added", "fence();", 10],
      ["same", "int b;", 11],
      ["gap", "", undefined],
      ["removed", "old", 20],
      ["added", "new", 20],
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  circled,
  type Counterexample,
  escapeMarkdown,
  gutterSvg,
  marksOf,
  numbersText,
  pathOf,
  placeOfStep,
  readCounterexample,
  removesLines,
  stepInWords,
  utf16Column,
} from "../src/counterexample";

const at = (thread: number, line: number, file = "dekker.c") => ({ thread, line, column: 3, file });
const example: Counterexample & { picket: 1 } = {
  picket: 1,
  file: "dekker.c",
  model: "tso",
  threads: [{ name: "main" }, { name: "left" }],
  events: [at(0, 46), at(1, 10), at(1, 0, ""), at(1, 4, "lock.h"), at(1, 10), at(0, 2, "/usr/include/x.h")],
  steps: [
    { event: 0, text: "starts left" },
    { event: 1, text: "stores 1", strange: true, remark: "It waits." },
    { event: 2, text: "nowhere" },
    { event: 3, text: "locks" },
    { event: 4, text: "loads" },
    { event: 5, text: "elsewhere" },
  ],
};
const document = "/home/me/dekker.c";

test("Steps stand on their lines, in order, with their numbers in the panel", () => {
  const marks = marksOf(example, document);
  assert.deepEqual([...marks.keys()], [document, "/home/me/lock.h", "/usr/include/x.h"]);
  assert.deepEqual(marks.get(document), [
    {
      line: 10,
      steps: [
        { number: 2, thread: "left", text: "stores 1. It waits.", strange: true },
        { number: 5, thread: "left", text: "loads", strange: false },
      ],
    },
    { line: 46, steps: [{ number: 1, thread: "main", text: "starts left", strange: false }] },
  ]);
  assert.deepEqual(
    marks.get("/home/me/lock.h")?.map(({ line }) => line),
    [4],
  );
});

test("The place of a step", () => {
  assert.deepEqual(placeOfStep(example, 1, document), { path: document, line: 10, column: 3 });
  assert.deepEqual(placeOfStep(example, 3, document), { path: "/home/me/lock.h", line: 4, column: 3 });
  assert.equal(placeOfStep(example, 2, document), undefined, "a step without a place");
  assert.equal(placeOfStep(example, 6, document), undefined, "no such step");
});

test("Paths: absolute, or relative as the checked file is", () => {
  assert.equal(pathOf("/home/me/src/a.c", { file: "/home/me/src/a.c" }, "/home/me/src/a.c"), "/home/me/src/a.c");
  assert.equal(pathOf("/home/me/src/../b.h", { file: "/home/me/src/a.c" }, "/home/me/src/a.c"), "/home/me/b.h");
  assert.equal(pathOf("src/sub/b.h", { file: "src/a.c" }, "/home/me/src/a.c"), "/home/me/src/sub/b.h");
  assert.equal(pathOf("", { file: "a.c" }, "/home/me/a.c"), "/home/me/a.c");
});

test("Only counterexamples are read as such", () => {
  assert.equal(readCounterexample(example), example);
  for (const bad of [
    undefined,
    null,
    3,
    {},
    { ...example, picket: 2 },
    { ...example, steps: undefined },
    { ...example, steps: [{ event: 99 }] },
  ])
    assert.equal(readCounterexample(bad), undefined);
});

test("Numbers in circles", () => {
  assert.deepEqual([1, 2, 10, 11, 51].map(circled), ["\u2460", "\u2461", "\u2469", "(11)", "(51)"]);
  const steps = Array.from({ length: 30 }, (_, i) => ({ number: i + 1, thread: "a", text: "", strange: false }));
  assert.equal(numbersText(steps.slice(0, 3)), "\u2460 \u2461 \u2462");
  const many = numbersText(steps).split(" ");
  assert.equal(many.length, 13);
  assert.deepEqual(many.slice(-2), ["\u2026", circled(30)]);
});

test("What programs are called does not become markup", () => {
  assert.equal(escapeMarkdown("*p = a[1] <b>"), "\\*p = a\\[1\\] \\<b\\>");
  assert.equal(
    stepInWords({ number: 1, thread: "left_1", text: "stores 1", strange: false }),
    "\u2460 **left\\_1** stores 1",
  );
});

test("The sign in the gutter holds its number", () => {
  assert.match(gutterSvg(7, "#123456"), /^<svg [^]*#123456[^]*>7<\/text><\/svg>$/);
  assert.match(gutterSvg(4711, "#000"), />\u2026</);
});

test("Byte columns become columns of the editor", () => {
  assert.equal(utf16Column("int x;", 5), 4);
  assert.equal(utf16Column("/* \u00e9 */ x", 10), 8);
  assert.equal(utf16Column("/* \u{1d11e} */ x", 12), 9);
  assert.equal(utf16Column("x", 99), 1);
  assert.equal(utf16Column("x", 0), 0);
});

test("Edits that take lines away", () => {
  const change = (from: number, to: number) => ({ range: { start: { line: from }, end: { line: to } } });
  assert.equal(removesLines([change(3, 3), change(9, 9)]), false);
  assert.equal(removesLines([change(3, 3), change(9, 10)]), true);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  namedModels,
  readExplanation,
  readFixes,
  readHints,
  readModels,
  readStatus,
  readTarget,
} from "../src/protocol";

test("A status as the server sends it", () => {
  const status = readStatus({
    uri: "file:///a.c",
    version: 3,
    state: "checking",
    current: false,
    partial: true,
    text: "checking TSO",
    progress: { model: "tso", executions: 17 },
    models: [
      { model: "sc", verdict: "verified", executions: 4, seconds: 0.1, reason: "", skipped: false },
      { model: "power", verdict: "unsupported", executions: 0, reason: "accesses overlap", skipped: true },
    ],
    counterexamples: [
      { model: "tso", code: "assertion" },
      { model: "tso", code: "deadlock" },
      { model: "pso", code: "assertion" },
    ],
  });
  assert.deepEqual(status, {
    uri: "file:///a.c",
    version: 3,
    state: "checking",
    current: false,
    partial: true,
    models: [
      { model: "sc", verdict: "verified", executions: 4 },
      { model: "power", verdict: "unsupported", executions: 0, reason: "accesses overlap", skipped: true },
    ],
    counterexamples: ["tso", "pso"],
    fixes: { searching: false, offers: 0, reason: "" },
    progress: { model: "tso", executions: 17 },
  });
});

test("How far a check is, as far as the server says", () => {
  const progressOf = (progress: unknown) => readStatus({ uri: "file:///a.c", state: "checking", progress })?.progress;
  assert.deepEqual(progressOf({ model: "tso", executions: 17, percentage: 40, secondsLeft: 8, more: 1 }), {
    model: "tso",
    executions: 17,
    percentage: 40,
    secondsLeft: 8,
  });
  assert.deepEqual(progressOf({ model: "tso", percentage: "40" }), { model: "tso", executions: 0 });
  for (const bad of [undefined, null, 40, {}, { model: 1 }]) assert.equal(progressOf(bad), undefined);
});

test("What is no status is refused, what is not known is harmless", () => {
  for (const bad of [null, 1, "status", [], {}, { uri: 5 }]) assert.equal(readStatus(bad), undefined);
  assert.deepEqual(readStatus({ uri: "file:///a.c", state: "dreaming", models: [null, 3, { model: "sc" }] }), {
    uri: "file:///a.c",
    version: 0,
    state: "unchecked",
    current: true,
    models: [{ model: "sc", verdict: "", executions: 0 }],
    counterexamples: [],
    fixes: { searching: false, offers: 0, reason: "" },
  });
});

test("The models of the server", () => {
  assert.deepEqual(
    readModels({
      models: [
        { model: "sc", title: "SC", description: "as written", available: true },
        { model: "tso" },
        {},
        { model: "power", available: false },
      ],
    }),
    [
      { id: "sc", name: "SC", description: "as written" },
      { id: "tso", name: "TSO", description: "" },
    ],
  );
  assert.equal(readModels(undefined), undefined);
  assert.equal(readModels({ models: "sc" }), undefined);
  assert.deepEqual(namedModels(["tso"]), [{ id: "tso", name: "TSO", description: "" }]);
});

test("Arguments of the lens: one by one, or in an object", () => {
  assert.deepEqual(readTarget(["file:///a.c", "tso"]), { uri: "file:///a.c", model: "tso" });
  assert.deepEqual(readTarget([{ uri: "file:///a.c", model: "pso" }]), { uri: "file:///a.c", model: "pso" });
  assert.deepEqual(readTarget(["file:///a.c"]), { uri: "file:///a.c" });
  assert.equal(readTarget([]), undefined);
  assert.equal(readTarget([null]), undefined);
});

test("An explanation", () => {
  assert.equal(readExplanation({ message: "m", markdown: "**m**" }), "**m**");
  for (const bad of [null, "text", {}, { markdown: 3 }]) assert.equal(readExplanation(bad), undefined);
});

test("What is known of fixes is read", () => {
  const fixes = (value: unknown) => readStatus({ uri: "file:///a.c", state: "done", fixes: value })?.fixes;
  assert.deepEqual(fixes({ searching: true, offers: 2, hints: 0, reason: "" }), {
    searching: true,
    offers: 2,
    reason: "",
  });
  assert.deepEqual(fixes({ searching: 1, offers: "2", reason: 3 }), { searching: false, offers: 0, reason: "" });
  assert.deepEqual(readFixes({ fixes: [{ aim: "no-bug", id: "1" }, { aim: "robust", id: "2" }, 3] }), [
    { aim: "no-bug", id: "1" },
  ]);
  assert.deepEqual(readFixes(null), []);
  assert.deepEqual(readHints({ hints: 3 }), { count: 3, reason: "" });
  assert.deepEqual(readHints({ hints: 0, reason: "all are needed" }), { count: 0, reason: "all are needed" });
  assert.equal(readHints(undefined), undefined);
});

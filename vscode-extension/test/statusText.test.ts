import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../src/protocol";
import {
  duration,
  grouped,
  learnTitles,
  menuEntries,
  modelName,
  statusText,
  walkthroughSteps,
} from "../src/statusText";

const base: Status = {
  uri: "file:///a.c",
  version: 1,
  state: "done",
  current: true,
  models: [],
  counterexamples: [],
  fixes: { searching: false, offers: 0, reason: "" },
};
const model = (name: string, verdict: string, executions = 2) => ({ model: name, verdict, executions });
const done = (...models: Status["models"]): Status => ({ ...base, models });

test("Without a server, and without a status", () => {
  assert.match(statusText("stopped", undefined).text, /warning.*Picket/);
  assert.match(statusText("starting", undefined).text, /spin/);
  assert.equal(statusText("running", undefined).severity, "none");
});

test("Checking: model and executions", () => {
  const { text, tooltip } = statusText("running", {
    ...base,
    state: "checking",
    progress: { model: "tso", executions: 18204 },
  });
  assert.equal(text, "$(loading~spin) Picket: TSO 18\u202f204");
  assert.match(tooltip, /TSO: 18\u202f204 executions/);
  assert.match(
    statusText("running", { ...base, state: "checking", progress: { model: "sc", executions: 1 } }).tooltip,
    /1 execution so far/,
  );
  assert.match(statusText("running", { ...base, state: "checking" }).text, /checking/);
});

test("Checking: the part that is done and the time that is left, if the server says", () => {
  const { text, tooltip } = statusText("running", {
    ...base,
    state: "checking",
    progress: { model: "tso", executions: 9, percentage: 40, secondsLeft: 7.2 },
  });
  assert.equal(text, "$(loading~spin) Picket: TSO 9, 40\u00a0%");
  assert.match(tooltip, /about 40\u00a0% done\. Some 8\u00a0s left\./);
  assert.deepEqual([0.2, 99, 100, 121].map(duration), ["1\u00a0s", "99\u00a0s", "2\u00a0min", "3\u00a0min"]);
});

test("The verdict of each model", () => {
  const found = statusText(
    "running",
    done(model("sc", "verified"), model("tso", "violation"), model("pso", "inconclusive")),
  );
  assert.equal(found.text, "$(error) Picket: SC \u2713 TSO \u2717 PSO ?");
  assert.equal(found.severity, "error");
  assert.equal(found.tooltip.split("\n").length, 3);
  assert.match(found.label, /^Picket: SC: verified/);
  const right = statusText("running", done(model("sc", "verified"), model("tso", "bounded")));
  assert.equal(right.text, "$(pass) Picket: SC \u2713 TSO \u2713");
  assert.equal(right.severity, "none");
  assert.equal(statusText("running", done(model("sc", "verified"), model("tso", "unsupported"))).severity, "warning");
});

test("While some models are being checked, the others' verdicts are shown", () => {
  const some = {
    ...done(model("sc", "verified"), model("tso", "violation"), model("power", "checking", 0)),
    state: "checking" as const,
    partial: true,
  };
  const { text, tooltip, severity } = statusText("running", {
    ...some,
    progress: { model: "power", executions: 1204 },
  });
  assert.equal(text, "$(loading~spin) Picket: SC \u2713 TSO \u2717 POWER \u2026");
  assert.match(tooltip, /POWER: being checked\nChecking under POWER: 1\u202f204 executions so far/);
  assert.equal(severity, "error");
  assert.equal(
    statusText("running", { ...some, current: false }).text,
    "$(loading~spin) Picket: checking",
    "of an older text nothing is known yet",
  );
  const actions = menuEntries("running", { ...some, counterexamples: ["tso"] }).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 3), ["cancel", "counterexample", "fences"]);
});

test("A model that is skipped is no reason to worry", () => {
  const skipped = { ...model("power", "unsupported", 0), skipped: true, reason: "accesses overlap" };
  const { text, tooltip, severity } = statusText("running", done(model("sc", "verified"), skipped));
  assert.equal(text, "$(pass) Picket: SC \u2713 POWER \u2013");
  assert.match(tooltip, /POWER: not checked: accesses overlap$/);
  assert.equal(severity, "none");
});

test("Verdicts of an older text say so", () => {
  assert.match(
    statusText("running", { ...done(model("sc", "verified")), current: false }).tooltip,
    /before the last edit/,
  );
});

test("Other states", () => {
  assert.match(
    statusText("running", done(model("sc", "compile-error"), model("tso", "compile-error"))).text,
    /does not compile/,
  );
  assert.match(statusText("running", { ...base, state: "quiet" }).tooltip, /no threads/);
  assert.match(statusText("running", { ...base, state: "cancelled" }).text, /cancelled/);
  assert.equal(statusText("running", { ...base, state: "failed" }).severity, "warning");
  assert.match(statusText("running", { ...base, state: "waiting" }).text, /spin/);
});

test("The menu offers what can be done", () => {
  const actions = (...of: Parameters<typeof menuEntries>) => menuEntries(...of).map(({ action }) => action);
  assert.deepEqual(actions("running", base), ["check", "checkAll", "models", "output", "settings"]);
  assert.deepEqual(actions("running", { ...base, state: "checking" }), [
    "cancel",
    "check",
    "checkAll",
    "models",
    "output",
    "settings",
  ]);
  assert.deepEqual(actions("running", { ...base, counterexamples: ["tso", "pso"] }), [
    "counterexample",
    "check",
    "checkAll",
    "models",
    "output",
    "settings",
  ]);
  assert.deepEqual(actions("stopped", undefined), ["restart", "models", "output", "settings"]);
  assert.equal(menuEntries("running", { ...base, counterexamples: ["tso", "pso"] })[0]!.description, "TSO, PSO");
});

test("Steps of the walkthrough: a verdict, and one without a violation where there was one", () => {
  const wrong = done(model("sc", "verified"), model("tso", "violation"));
  const right = done(model("sc", "verified"), model("tso", "verified"));
  const checking = (last: Status): Status => ({ ...last, state: "checking" }); // it has the models of the check before
  assert.deepEqual(walkthroughSteps(undefined, wrong), ["picket.sawVerdict"]);
  assert.deepEqual(walkthroughSteps(checking(wrong), right), ["picket.sawVerdict", "picket.sawFix"]);
  assert.deepEqual(walkthroughSteps(checking(right), right), ["picket.sawVerdict"]);
  assert.deepEqual(walkthroughSteps(wrong, wrong), [], "once for each check");
  for (const none of [checking(wrong), done(), { ...base, state: "quiet" as const }])
    assert.deepEqual(walkthroughSteps(undefined, none), []);
});

test("Groups of digits", () => {
  assert.deepEqual([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1\u202f000", "1\u202f234\u202f567"]);
});

test("The menu offers fences where they may help", () => {
  const violated = (...models: string[]): Status => ({
    ...base,
    models: ["sc", "tso"].map((model) => ({
      model,
      verdict: models.includes(model) ? "violation" : "verified",
      executions: 1,
    })),
  });
  const fences = (status: Status) =>
    menuEntries("running", status).find(({ action }) => action === "fences")?.description;
  assert.equal(fences(violated()), undefined);
  assert.equal(fences(violated("tso")), "");
  assert.equal(fences({ ...violated("tso"), fixes: { searching: true, offers: 0, reason: "" } }), "searching");
  assert.equal(
    fences({ ...violated("tso"), fixes: { searching: true, offers: 1, reason: "" } }),
    "proved to prevent the violation",
  );
  assert.equal(
    fences({ ...violated("tso"), fixes: { searching: false, offers: 0, reason: "a lock is needed" } }),
    undefined,
  );
  assert.equal(fences({ ...violated("tso"), current: false }), undefined, "of another text");
  assert.equal(fences(violated("sc", "tso")), undefined, "no fence can help");
});

test("Models are called what the server calls them", () => {
  assert.equal(modelName("new"), "NEW");
  learnTitles([{ id: "new", name: "New model", description: "" }]);
  assert.equal(modelName("new"), "New model");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { PanelContents } from "../src/panelContents";
import type { Status } from "../src/protocol";

const counterexample = (model: string) => ({ picket: 1, file: "a.c", model, events: [], steps: [], threads: [] });
const status = (version: number, counterexamples: string[], state: Status["state"] = "done"): Status => ({
  uri: "file:///a.c",
  version,
  state,
  current: true,
  models: [],
  counterexamples,
  fixes: { searching: false, offers: 0, reason: "" },
});
const filled = (version: number, models: string[], wanted?: string): PanelContents => {
  const contents = new PanelContents(wanted);
  assert(contents.take(contents.beginLoad(), status(version, models), models.map(counterexample)));
  return contents;
};

test("Counterexamples are loaded once for each check", () => {
  const contents = new PanelContents();
  for (const nothing of [undefined, status(1, ["tso"], "checking"), status(1, [], "quiet")])
    assert.equal(contents.task(nothing), "nothing");
  assert.equal(contents.task(status(1, ["tso"])), "load");
  assert(contents.take(contents.beginLoad(), status(1, ["tso"]), [counterexample("tso")]));
  assert.equal(contents.task(status(1, ["tso"])), "nothing");
  assert.equal(contents.task(status(2, ["tso"])), "load");
  assert.equal(contents.task(status(1, ["tso", "pso"])), "load");
});

test("While a model is being checked, what the others have found is loaded, and nothing is out of date", () => {
  const some = (version: number, models: string[]): Status => ({
    ...status(version, models, "checking"),
    partial: true,
  });
  const contents = filled(1, ["power"]);
  assert.equal(contents.task(some(2, [])), "nothing", "the one that is left may have it still");
  assert.equal(contents.task(some(2, ["tso"])), "load");
  assert.equal(contents.task({ ...some(2, ["tso"]), current: false }), "nothing");
});

test("When nothing goes wrong any more, what is shown stays and is out of date", () => {
  const contents = filled(1, ["tso"]);
  assert.equal(contents.task(status(2, [])), "outdated");
  contents.markOutdated();
  assert(contents.outdated);
  assert.equal(contents.shown?.model, "tso");
  assert.equal(contents.data.length, 1);
});

test("An edit makes it out of date, the next check loads it again, even of the same text", () => {
  const contents = filled(1, ["tso"]);
  contents.markOutdated();
  assert.equal(
    contents.task({ ...status(2, ["tso"]), current: false }),
    "nothing",
    "news of a text that was not checked",
  );
  assert.equal(contents.task(status(1, ["tso"])), "load");
  assert(contents.take(contents.beginLoad(), status(1, ["tso"]), [counterexample("tso")]));
  assert(!contents.outdated);
});

test("A panel that shows nothing is not out of date", () => {
  const contents = new PanelContents();
  contents.markOutdated();
  assert(!contents.outdated);
});

test("Answers that come late, or cannot be read, change nothing", () => {
  const contents = filled(1, ["tso"]);
  const late = contents.beginLoad();
  const last = contents.beginLoad();
  assert.equal(contents.take(late, status(2, ["sc"]), [counterexample("sc")]), false);
  assert.equal(contents.take(last, status(2, ["sc"]), [null, { picket: 2 }]), false);
  assert.equal(contents.shown?.model, "tso");
});

test("It begins with the wanted model, then stays with the one that is shown", () => {
  const contents = filled(1, ["tso", "pso"], "pso");
  assert.equal(contents.beginsHere, 1);
  assert.equal(contents.shown?.model, "pso");
  assert(
    contents.take(contents.beginLoad(), status(2, ["sc", "tso", "pso"]), ["sc", "tso", "pso"].map(counterexample)),
  );
  assert.equal(contents.beginsHere, 2);
  assert.equal(contents.prefer("pso"), false);
  assert.equal(contents.prefer(undefined), false);
  assert(contents.prefer("sc"));
  assert.equal(contents.task(status(2, ["sc", "tso", "pso"])), "load");
  assert(
    contents.take(contents.beginLoad(), status(2, ["sc", "tso", "pso"]), ["sc", "tso", "pso"].map(counterexample)),
  );
  assert.equal(contents.shown.model, "sc");
});

test("After a reload the page knows where it was", () => {
  assert.equal(filled(1, ["tso", "pso"]).beginsHere, undefined);
});

test("The page moves", () => {
  const contents = filled(1, ["tso", "pso"]);
  assert.equal(contents.moveTo(0, 4), false);
  assert.equal(contents.moveTo(1, 2), true);
  assert.deepEqual([contents.shown?.model, contents.step], ["pso", 2]);
  assert.equal(contents.moveTo(9, 1), false, "there is no such counterexample");
});

test("The page hears of fixes once, and again after another counterexample or an edit", () => {
  const proved = (offers: number): Status => ({
    ...status(1, ["tso"]),
    fixes: { searching: false, offers, reason: "" },
  });
  const contents = filled(1, ["tso"]);
  assert.equal(contents.fixesTask(undefined), undefined);
  assert.equal(contents.fixesTask(proved(0)), undefined, "there is nothing to tell");
  assert.equal(contents.fixesTask(proved(1)), 1);
  assert.equal(contents.fixesTask(proved(1)), undefined, "it knows");
  assert.equal(contents.fixesTask(proved(2)), 2);
  assert.equal(contents.fixesTask(proved(0)), 0, "they do not count any more");
  contents.fixesTask(proved(1));
  contents.forgetFixes();
  assert.equal(contents.fixesTask(proved(1)), 1);
  contents.markOutdated();
  assert.equal(contents.fixesTask(proved(1)), undefined, "they are for another text than the counterexample");
  assert.equal(new PanelContents().fixesTask(proved(1)), undefined, "there is no counterexample to show them with");
});

test("An execution that is only not robust does not take the place of a bug, unless it is asked for", () => {
  const model = (verdict: string) => [{ model: "pso", verdict, executions: 1 }];
  const violated = { ...status(1, ["pso"]), models: model("violation") };
  const right = { ...status(2, ["pso"]), models: model("verified") };
  const contents = new PanelContents();
  assert(contents.take(contents.beginLoad(), violated, [counterexample("pso")]));
  assert.equal(contents.task(right), "outdated");
  contents.markOutdated();
  assert(contents.prefer("pso"));
  assert.equal(contents.task(right), "load");
  assert(contents.take(contents.beginLoad(), right, [counterexample("pso")]));
  assert.equal(contents.task({ ...right, version: 3 }), "load", "now that one is shown");
});

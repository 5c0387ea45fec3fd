// Progress, cancel, code lens, hover, commands and the requests that are Picket's own.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, example, isFinal, session } from "./client.mjs";
import { alive, workersOf } from "./processes.mjs";
import { Buggy, Endless, Fixed, lineOf, positionOf, writers } from "./programs.mjs";

/** Every progress: created first (if the server made the token), then begin, reports, end. */
function assertWellFormed(client) {
  const tokens = new Set(client.progress().map(({ token }) => token));
  const created = new Set(client.serverRequests("window/workDoneProgress/create").map(({ params }) => params.token));
  for (const token of tokens) {
    const values = client.progress(token).map(({ value }) => value);
    assert.equal(values[0].kind, "begin");
    assert.notEqual(values[0].title, "");
    assert.equal(values.at(-1).kind, "end");
    let percentage = 0;
    for (const value of values.slice(1, -1)) {
      assert.equal(value.kind, "report");
      if (value.message !== undefined) assert.notEqual(value.message, "");
      if (value.percentage === undefined) continue;
      assert(Number.isInteger(value.percentage) && value.percentage <= 100, `${value.percentage} %`);
      assert(value.percentage >= percentage, "progress goes forward");
      percentage = value.percentage;
    }
    const first = client.messages.findIndex((message) => message.method === "$/progress" && message.params.token === token);
    const create = client.messages.findIndex((message) => message.method === "window/workDoneProgress/create" && message.params.token === token);
    if (created.has(token)) assert(create < first, "created before it begins");
  }
  assert.equal(created.size, new Set(created).size);
  return [...tokens];
}

test("Progress begins, reports executions, and ends", { timeout: 120_000 }, () => session({}, async (client) => {
  const uri = await client.open("slow.c", writers(9));
  const begin = performance.now();
  await client.checked(uri, 110_000);
  await client.until("the end of progress", () => client.progress().at(-1)?.value.kind === "end");
  const seconds = (performance.now() - begin) / 1000;
  const [token] = assertWellFormed(client);
  const reports = client.progress(token).map(({ value }) => value).filter(({ kind }) => kind === "report");
  assert(reports.length > 0);
  assert(reports.length < 20 * seconds + 20, `${reports.length} reports in ${seconds.toFixed(1)} s are more than anybody can read`);
  assert(reports.some(({ message }) => /executions/.test(message) && /SC|TSO|PSO/.test(message)), JSON.stringify(reports));
}));

test("No progress for a client that did not ask for it", () => session({ capabilities: {} }, async (client) => {
  await client.checked(await client.open("slow.c", writers(8)));
  assert.equal(client.progress().length, 0);
  assert.equal(client.messages.filter((message) => message.method && message.id !== undefined).length, 0, "no requests either");
}));

test("Cancel by the progress that is shown", () => session({}, async (client) => {
  const uri = await client.open("slow.c", Endless);
  const begin = await client.until("progress", () => client.progress().find(({ value }) => value.kind === "begin"));
  assert.equal(begin.value.cancellable, true);
  const busy = workersOf(client.process.pid);
  await client.notify("window/workDoneProgress/cancel", { token: begin.token });
  await client.until("the end of progress", () => client.progress(begin.token).at(-1).value.kind === "end");
  await client.until("a final status", () => isFinal(client.status(uri)));
  assert.equal(client.status(uri).state, "cancelled");
  assertWellFormed(client);
  await eventually("the worker to be gone or idle", () => busy.some((pid) => !alive(pid)), 2000);
  await client.editAndSave(uri, Buggy);
  assert.equal((await client.checked(uri)).length, 1);
}));

test("Cancel by command", () => session({}, async (client) => {
  const uri = await client.open("slow.c", Endless);
  await client.checking(uri);
  await client.command("picket.cancel", { uri });
  await client.until("a final status", () => client.status(uri).state === "cancelled");
  assert.deepEqual(client.shown(uri), []);
}));

test("The end of an edited check ends its progress", () => session({}, async (client) => {
  const uri = await client.open("slow.c", Endless);
  await client.until("progress", () => client.progress().some(({ value }) => value.kind === "begin"));
  await client.editAndSave(uri, Fixed);
  await client.checked(uri);
  await client.until("all progress to end", () => {
    const kinds = client.progress().map(({ value }) => value.kind);
    return kinds.filter((kind) => kind === "begin").length === kinds.filter((kind) => kind === "end").length;
  });
  assertWellFormed(client);
}));

test("Code lens over main: verdicts and the counterexample", () => session({}, async (client) => {
  const source = example("dekker.c");
  const uri = await client.open("dekker.c", source);
  await client.checked(uri);
  const lenses = await client.request("textDocument/codeLens", { textDocument: { uri } });
  assert.notEqual(lenses.length, 0);
  for (const lens of lenses) assert.equal(lens.range.start.line, lineOf(source, "int main"));
  const titles = lenses.map((lens) => lens.command.title).join(" · ");
  assert.match(titles, /SC ✓.*TSO ✗.*PSO ✗/);
  assert.match(titles, /executions/);
  assert.match(titles, /Show counterexample/);
  const known = client.initialized.capabilities.executeCommandProvider.commands;
  for (const { command } of lenses) if (command.command) assert(known.includes(command.command), command.command);
}));

test("Code lens of a correct program offers no counterexample; none without main", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Fixed);
  await client.checked(uri);
  const titles = (await client.request("textDocument/codeLens", { textDocument: { uri } })).map((lens) => lens.command.title).join();
  assert.match(titles, /SC ✓.*TSO ✓.*PSO ✓/);
  assert.doesNotMatch(titles, /counterexample/);
  const library = await client.open("library.c", "int f(void) { return 0; }\n");
  assert.deepEqual((await client.request("textDocument/codeLens", { textDocument: { uri: library } })) ?? [], []);
}));

test("New verdicts refresh the code lens, where the client can", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  await client.until("a refresh", () => client.serverRequests("workspace/codeLens/refresh").length > 0);
}));

test("Hover on a shared access says who else touches it and what was reordered", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  const hover = await client.request("textDocument/hover", { textDocument: { uri }, position: positionOf(Buggy, "x = 1;") });
  const text = hover.contents.value;
  assert.match(text, /`x`/);
  assert.match(text, /right/);
  assert.match(text, /TSO/);
  assert.equal(await client.request("textDocument/hover", { textDocument: { uri }, position: positionOf(Buggy, "#include") }), null);
}));

test("picket/counterexample: trace, steps and both pictures", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  const counterexample = await client.request("picket/counterexample", { uri, model: "tso" });
  assert.equal(counterexample.picket, 1);
  assert.equal(counterexample.uri, uri);
  assert.equal(counterexample.version, 1);
  assert.equal(counterexample.current, true);
  assert.equal(counterexample.model, "tso");
  assert.equal(counterexample.bug.line, lineOf(Buggy, "assert(") + 1);
  assert(counterexample.steps.length > 5);
  for (const view of ["chronological", "shashaSnir"]) assert.match(counterexample[view].svg, /<svg[^]*<\/svg>/);
  assert.deepEqual(Object.values(counterexample.sources), [Buggy], "the text of the editor: there is no file");
}));

test("picket/counterexample where there is none", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Fixed);
  await client.checked(uri);
  assert.equal(await client.request("picket/counterexample", { uri, model: "tso" }), null);
  await assert.rejects(client.request("picket/counterexample", { uri: client.uri("not-open.c") }), (error) => error.code < 0);
  await assert.rejects(client.command("picket.showCounterexample", { uri }), (error) => error.code < 0);
}));

test("picket/status and picket/models answer", () => session({}, async (client) => {
  const { models } = await client.request("picket/models", {});
  assert.deepEqual(models.filter(({ available }) => available).map(({ model }) => model).slice(0, 3), ["sc", "tso", "pso"]);
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  const status = await client.request("picket/status", { uri });
  assert.deepEqual(status, client.status(uri), "the same as was announced");
}));

test("Show counterexample opens a page in clients without a panel", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  await client.command("picket.showCounterexample", uri, "tso"); // as the code lens has it
  const [{ params }] = await client.until("a document to show", () => {
    const requests = client.serverRequests("window/showDocument");
    return requests.length > 0 && requests;
  });
  assert.equal(params.external, true);
  const page = fileURLToPath(params.uri);
  assert(existsSync(page));
  assert.match(readFileSync(page, "utf8"), /<html[^]*id="counterexample"/);
}));

test("Explain tells the story in words", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  const { sentence, markdown } = await client.command("picket.explain", { uri });
  assert.match(sentence, /store buffer/);
  assert.match(markdown, new RegExp(`line ${lineOf(Buggy, "x = 1;") + 1}`));
}));

test("Check all models goes beyond the settings", () => session({ initializationOptions: { models: ["sc"] } }, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  assert.deepEqual(await client.checked(uri), []);
  await client.command("picket.checkAllModels", { uri });
  await client.until("the diagnostic", () => client.shown(uri).length === 1);
}));

test("Restart worker: others than before, and they work", () => session({}, async (client) => {
  const uri = await client.open("sb.c", Buggy);
  await client.checked(uri);
  const before = workersOf(client.process.pid);
  assert.notEqual(before.length, 0);
  await client.command("picket.restartWorker");
  await eventually("the old workers to end", () => !before.some(alive));
  await client.editAndSave(uri, Fixed);
  assert.deepEqual(await client.checked(uri), []);
}));

test("Workers are there before they are needed", () => session({}, async (client) => {
  await eventually("a worker", () => workersOf(client.process.pid).length > 0);
}));

test("The progress token of a command is used", { timeout: 120_000 }, () => session({ initializationOptions: { check: { trigger: "manual" } } }, async (client) => {
  const uri = await client.open("slow.c", writers(9));
  await client.request("workspace/executeCommand", { command: "picket.check", arguments: [{ uri }], workDoneToken: "mine" });
  await client.until("the end of progress", () => client.progress("mine").at(-1)?.value.kind === "end", { limit: 110_000 });
  assertWellFormed(client);
}));

// Progress, cancel, code lens, hover, commands and the requests that are Picket's own.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, example, isFinal, session } from "./client.mjs";
import { alive, workersOf } from "./processes.mjs";
import {
  Buggy,
  Endless,
  Fixed,
  SpinForEver,
  VolatileIsAtomic,
  lineOf,
  positionOf,
  storeBuffering,
  writers,
} from "./programs.mjs";

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
    const first = client.messages.findIndex(
      (message) => message.method === "$/progress" && message.params.token === token,
    );
    const create = client.messages.findIndex(
      (message) => message.method === "window/workDoneProgress/create" && message.params.token === token,
    );
    if (created.has(token)) assert(create < first, "created before it begins");
  }
  assert.equal(created.size, new Set(created).size);
  return [...tokens];
}

test("Progress begins, reports executions, and ends", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", writers(9));
    const begin = performance.now();
    await client.checked(uri);
    await client.until("the end of progress", () => client.progress().at(-1)?.value.kind === "end");
    const seconds = (performance.now() - begin) / 1000;
    const [token] = assertWellFormed(client);
    const reports = client
      .progress(token)
      .map(({ value }) => value)
      .filter(({ kind }) => kind === "report");
    assert(reports.length > 0);
    assert(
      reports.length < 20 * seconds + 20,
      `${reports.length} reports in ${seconds.toFixed(1)} s are more than anybody can read`,
    );
    assert(
      reports.some(({ message }) =>
        /^(SC|TSO|PSO|ARM64|POWER|C11): [\d ]+ executions, (about \d+|less than 1) % done/.test(message),
      ),
      JSON.stringify(reports),
    );
    const percentages = reports.map(({ percentage }) => percentage);
    assert(
      percentages.some((percentage) => percentage > 0),
      `an estimate of what is done: ${percentages}`,
    );
    assert(
      percentages.every((percentage) => percentage < 100),
      `not done before the end: ${percentages}`,
    );
  }));

test("A litmus test is answered at its condition, and a wrong one where it is wrong", () =>
  session({}, async (client) => {
    const text = [
      "PPC MP",
      "{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }",
      " P0           | P1           ;",
      " li r1,1      | lwz r1,0(r2) ;",
      " stw r1,0(r2) | lwz r3,0(r4) ;",
      " li r3,1      |              ;",
      " stw r3,0(r4) |              ;",
      "exists (1:r1=1 /\\ 1:r3=0)",
      "",
    ].join("\n");
    const uri = await client.open("MP.litmus", text);
    const found = await client.checked(uri);
    assert.deepEqual(
      found.map(({ severity, range }) => [severity, range.start.line]),
      [
        [3, 7],
        [3, 7],
      ],
    );
    assert.match(
      found.find(({ message }) => message.startsWith("POWER"))?.message ?? "",
      /holds: .* so in 1 of 4 executions, 4 final states/,
    );
    assert.match(
      found.find(({ message }) => message.startsWith("SC"))?.message ?? "",
      /does not hold: .* never so \(3 executions\), 3 final states/,
    );
    const wrong = await client.open("wrong.litmus", text.replace("li r3,1 ", "frob r3 "));
    const [problem] = await client.checked(wrong);
    assert.match(problem.message, /not supported: 'frob' \(line 6\)/);
    assert.equal(problem.range.start.line, 5);
  }));

test("The status carries progress while a check runs, and nobody has to ask", () =>
  session({ initializationOptions: { timeout: "100s" } }, async (client) => {
    const uri = await client.open("slow.c", Endless);
    const [first] = await client.until("progress in the status", () => {
      const told = client.statuses(uri).filter(({ progress }) => progress?.secondsLeft !== undefined); // it takes a while to be known
      return told.length > 2 && told;
    });
    assert.equal(first.state, "checking");
    assert.match(first.progress.model, /^(sc|tso|pso|armv8|power|c11)$/);
    assert(first.progress.executions > 0);
    assert(Number.isInteger(first.progress.percentage) && first.progress.percentage < 100);
    assert(first.progress.secondsLeft <= 6 * 100, "the time limit is the most it can be");
    assert.match(first.text, /^checking (SC|TSO|PSO|ARM64|POWER|C11): .* % done, (at most|some) \d+ s left$/);
    const asked = await client.request("picket/status", { uri });
    assert(asked.progress.executions >= first.progress.executions || asked.progress.model !== first.progress.model);
    const refreshes = client.serverRequests("workspace/codeLens/refresh").length;
    const before = client.statuses(uri).length;
    await client.until("more progress", () => client.statuses(uri).length > before);
    assert.equal(
      client.serverRequests("workspace/codeLens/refresh").length,
      refreshes,
      "lenses are not asked for again",
    );
    await client.command("picket.cancel");
    await client.until("a final status", () => isFinal(client.status(uri)));
    assert.equal(client.status(uri).progress, undefined);
  }));

test("No progress for a client that did not ask for it", () =>
  session({ capabilities: {} }, async (client) => {
    await client.checked(await client.open("slow.c", writers(8)));
    assert.equal(client.progress().length, 0);
    assert.equal(
      client.messages.filter((message) => message.method && message.id !== undefined).length,
      0,
      "no requests either",
    );
  }));

test("Cancel by the progress that is shown", () =>
  session({}, async (client) => {
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

test("Cancel by command", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", Endless);
    await client.checking(uri);
    await client.command("picket.cancel", { uri });
    await client.until("a final status", () => client.status(uri).state === "cancelled");
    assert.deepEqual(client.shown(uri), []);
  }));

test("The end of an edited check ends its progress", () =>
  session({}, async (client) => {
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

test("Code lens over main: verdicts and the counterexample", () =>
  session({}, async (client) => {
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

test("Code lens of a correct program offers no counterexample; without main it says that no program uses the file", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Fixed);
    await client.checked(uri);
    const titles = (await client.request("textDocument/codeLens", { textDocument: { uri } }))
      .map((lens) => lens.command.title)
      .join();
    assert.match(titles, /SC ✓.*TSO ✓.*PSO ✓/);
    assert.doesNotMatch(titles, /counterexample/);
    const library = await client.open("library.c", "int f(void) { return 0; }\n");
    const titlesThere = async () =>
      (await client.request("textDocument/codeLens", { textDocument: { uri: library } })).map(
        (lens) => lens.command.title,
      );
    await eventually("the workspace to be read", async () => (await titlesThere()).length > 0);
    assert.deepEqual(await titlesThere(), ["No program uses this file"]);
  }));

test("New verdicts refresh the code lens, where the client can", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    await client.until("a refresh", () => client.serverRequests("workspace/codeLens/refresh").length > 0);
  }));

test("Hover on a shared access says who else touches it and what was reordered", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    const hover = await client.request("textDocument/hover", {
      textDocument: { uri },
      position: positionOf(Buggy, "x = 1;"),
    });
    const text = hover.contents.value;
    assert.match(text, /`x`/);
    assert.match(text, /right/);
    assert.match(text, /TSO/);
    assert.equal(
      await client.request("textDocument/hover", { textDocument: { uri }, position: positionOf(Buggy, "#include") }),
      null,
    );
  }));

test("Hover where nothing is wrong: who shares it, and that the fence keeps the order", () =>
  session({}, async (client) => {
    const hoverAt = async (uri, source, text) =>
      (await client.request("textDocument/hover", { textDocument: { uri }, position: positionOf(source, text) }))
        .contents.value;
    const uri = await client.open("sb.c", Fixed);
    assert.deepEqual(await client.checked(uri), []);
    const store = await hoverAt(uri, Fixed, "x = 1;");
    assert.match(store, /`x` is shared: thread `right` reads it \(line \d+\)/);
    assert.match(store, /Under TSO and PSO nothing its thread did later was seen to overtake the store to `x`/);
    const load = await hoverAt(uri, Fixed, "b = x;");
    assert.match(load, /thread `left` writes it/);
    // The same without the fence and without a claim that fails.
    const loose = storeBuffering().replace("assert(a || b)", "assert(a >= 0)");
    const other = await client.open("loose.c", loose);
    assert.deepEqual(
      (await client.checked(other)).map((found) => found.code),
      ["not-robust", "not-robust"],
    );
    assert.match(
      await hoverAt(other, loose, "x = 1;"),
      /Under TSO and PSO the store to `x` was seen to reach memory after its later read of `y` \(line \d+\)/,
    );
    const [later, observer] = [lineOf(loose, "a = y") + 1, lineOf(loose, "b = x") + 1];
    assert.match(
      await hoverAt(other, loose, "x = 1;"),
      new RegExp(
        `Not robust: under TSO this store can reach memory after the later access at line ${later}, and the access at line ${observer} can observe the reordering`,
      ),
    );
    assert.match(
      await hoverAt(other, loose, "b = x;"),
      /Not robust: under TSO the store at line \d+ can be late, and this line can observe the reordering/,
    );
    assert.match(
      await hoverAt(other, loose, "a = y;"),
      /Under TSO and PSO the read of `y` was seen to take effect before the earlier store to `x` \(line \d+\) reached memory/,
    );
  }));

test("Hover tells PSO's order of stores from TSO's", () =>
  session({}, async (client) => {
    const source = `${VolatileIsAtomic}#include <pthread.h>
volatile int data, ready, seen;
void *writer(void *p) {
  data = 1;
  ready = 1;
  return p;
}
void *reader(void *p) {
  if (ready) seen = data;
  return p;
}
int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
  return 0;
}
`;
    const uri = await client.open("mp.c", source);
    await client.checked(uri);
    const hover = await client.request("textDocument/hover", {
      textDocument: { uri },
      position: positionOf(source, "data = 1;"),
    });
    assert.match(
      hover.contents.value,
      /Under PSO the store to `data` was seen to reach memory after its later store to `ready` \(line 5\)/,
    );
    assert.match(
      hover.contents.value,
      /Under TSO nothing its thread did later was seen to overtake the store to `data`/,
    );
  }));

test("picket/counterexample: trace, steps and both pictures", () =>
  session({}, async (client) => {
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

test("picket/counterexample where there is none", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Fixed);
    await client.checked(uri);
    assert.equal(await client.request("picket/counterexample", { uri, model: "tso" }), null);
    await assert.rejects(
      client.request("picket/counterexample", { uri: client.uri("not-open.c") }),
      (error) => error.code < 0,
    );
    await assert.rejects(client.command("picket.showCounterexample", { uri }), (error) => error.code < 0);
  }));

test("A program without bugs that is not robust: an information per store that can be late, with the witness as counterexample", () =>
  session({}, async (client) => {
    const source = Buggy.replace("assert(a || b);", "");
    const uri = await client.open("sb.c", source);
    const shown = (await client.checked(uri)).sort((a, b) => a.range.start.line - b.range.start.line);
    const late = [
      ["x = 1", "a = y", "b = x"],
      ["y = 1", "b = x", "a = y"],
    ].map((texts) => texts.map((text) => lineOf(source, text)));
    late.sort(([a], [b]) => a - b);
    assert.deepEqual(
      shown.map(({ range }) => range.start.line),
      late.map(([store]) => store),
    );
    for (const [index, { severity, code, message, relatedInformation }] of shown.entries()) {
      const [, load, observer] = late[index];
      assert.equal(severity, 3);
      assert.equal(code, "not-robust");
      assert.equal(
        message.split("\n")[0],
        `not robust under TSO: this store can reach memory after the later access at line ${load + 1}, ` +
          `and the access at line ${observer + 1} can observe the reordering`,
      );
      assert(relatedInformation.length > 5, "the two accesses, and the steps of an execution");
      assert.deepEqual(
        relatedInformation.slice(0, 2).map(({ location, message: text }) => [location.range.start.line, text]),
        [
          [load, "this access can take effect before the store reaches memory"],
          [observer, "this access can observe the reordering"],
        ],
      );
    }
    const witness = await client.request("picket/counterexample", { uri, model: "tso" });
    assert.equal(witness.model, "tso");
    assert(witness.steps.length > 3);
    assert(witness.cycle.edges.length > 0, "what makes it impossible under SC");
    for (const view of ["chronological", "shashaSnir"]) assert.match(witness[view].svg, /<svg[^]*<\/svg>/);
    await client.notify("workspace/didChangeConfiguration", { settings: { picket: { robustness: false } } });
    await client.until("cleared diagnostics", () => client.shown(uri).length === 0);
    assert.equal(await client.request("picket/counterexample", { uri, model: "tso" }), null);
  }));

test("A spin lock taken for ever is verified without a bound; the engine is a setting", () =>
  session({}, async (client) => {
    const uri = await client.open("lock.c", SpinForEver);
    assert.deepEqual(await client.checked(uri), []);
    const verdicts = () => client.status(uri).models.map(({ model, verdict }) => `${model} ${verdict}`);
    assert.deepEqual(verdicts(), [
      "sc verified",
      "tso verified",
      "pso verified",
      "armv8 bounded",
      "power bounded",
      "c11 bounded",
    ]);
    assert(client.status(uri).models[1].states > 0);
    await client.notify("workspace/didChangeConfiguration", { settings: { picket: { engine: "bounded" } } });
    await client.until("another check", () => client.status(uri).models[1].verdict === "bounded");
  }));

test("picket/status and picket/models answer", () =>
  session({}, async (client) => {
    const { models } = await client.request("picket/models", {});
    assert.deepEqual(
      models.filter(({ available }) => available).map(({ model }) => model),
      ["sc", "tso", "pso", "armv8", "power", "c11"],
    );
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    const status = await client.request("picket/status", { uri });
    assert.deepEqual(status, client.status(uri), "the same as was announced");
  }));

test("Show counterexample opens a page in clients without a panel", () =>
  session({}, async (client) => {
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

test("Explain tells the story in words", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    const { sentence, markdown } = await client.command("picket.explain", { uri });
    assert.match(sentence, /store buffer/);
    assert.match(markdown, new RegExp(`line ${lineOf(Buggy, "x = 1;") + 1}`));
  }));

test("Check all models goes beyond the settings", () =>
  session({ initializationOptions: { models: ["sc"] } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.deepEqual(await client.checked(uri), []);
    await client.command("picket.checkAllModels", { uri });
    await client.until("the diagnostic", () => client.shown(uri).length === 1);
  }));

test("Commands that name no document mean the one that was worked on last", () =>
  session({}, async (client) => {
    const none = await client.command("picket.check").catch((error) => error);
    assert.equal(none.code, -32602);
    assert.match(none.message, /no C document is open/);
    const first = await client.open("first.c", Buggy);
    const second = await client.open("second.c", Fixed);
    await client.open("header.h", "int unused;\n"); // not what is checked
    await client.checked(first);
    await client.checked(second);
    assert.equal((await client.command("picket.check")).uri, second);
    await client.editAndSave(first, `${Buggy}\n`);
    await client.checked(first);
    assert.equal((await client.command("picket.checkAllModels", null)).uri, first);
    assert.deepEqual(
      (await client.command("picket.check", { model: "tso" })).models.map(({ model }) => model),
      ["tso"],
    );
    assert.match((await client.command("picket.explain", {})).sentence, /store buffer/);
    assert.match((await client.command("picket.showCounterexample")).uri, /first/);
    await client.close(first);
    assert.equal((await client.command("picket.check")).uri, second);
  }));

test("Restart worker: others than before, and they work", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    const before = workersOf(client.process.pid);
    assert.notEqual(before.length, 0);
    await client.command("picket.restartWorker");
    await eventually("the old workers to end", () => !before.some(alive));
    await client.editAndSave(uri, Fixed);
    assert.deepEqual(await client.checked(uri), []);
  }));

test("Workers are there before they are needed", () =>
  session({}, async (client) => {
    await eventually("a worker", () => workersOf(client.process.pid).length > 0);
  }));

test("The progress token of a command is used", () =>
  session({ initializationOptions: { check: { trigger: "manual" } } }, async (client) => {
    const uri = await client.open("slow.c", writers(9));
    await client.request("workspace/executeCommand", {
      command: "picket.check",
      arguments: [{ uri }],
      workDoneToken: "mine",
    });
    await client.until("the end of progress", () => client.progress("mine").at(-1)?.value.kind === "end");
    assertWellFormed(client);
  }));

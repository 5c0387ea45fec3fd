// Fixes: offered once they are proved, for the text they were proved for, and for no other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, example, FullCapabilities, session, workerAtWork } from "./client.mjs";
import { alive, workersOf } from "./processes.mjs";
import { Buggy, Fixed, lineOf, storeBuffering, Textbook, VolatileIsAtomic, writers } from "./programs.mjs";

const codeAction = {
  codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } },
  isPreferredSupport: true,
  disabledSupport: true,
  dataSupport: true,
  resolveSupport: { properties: ["edit"] },
};
/** Of an editor that knows everything about code actions. */
const Full = {
  ...FullCapabilities,
  workspace: { ...FullCapabilities.workspace, workspaceEdit: { documentChanges: true } },
  textDocument: {
    ...FullCapabilities.textDocument,
    codeAction,
    publishDiagnostics: { ...FullCapabilities.textDocument.publishDiagnostics, tagSupport: { valueSet: [1, 2] } },
  },
};

/** Waits until nothing more is looked for. */
const searched = (client, uri) =>
  client.until(
    "the end of the search",
    () => client.status(uri)?.state === "done" && !client.status(uri).fixes.searching,
  );

const actionsAt = (client, uri, range, more = {}) =>
  client.request("textDocument/codeAction", {
    textDocument: { uri },
    range,
    context: { diagnostics: client.shown(uri), ...more },
  });
const everywhere = { start: { line: 0, character: 0 }, end: { line: 9999, character: 0 } };

/** What is wrong: a program that was fixed need not be robust, and says so. */
const errors = (diagnostics) => diagnostics.filter(({ severity }) => severity === 1);

/** The text with an edit of it, whichever form the edit has. UTF-16 columns. */
function edited(text, uri, { documentChanges, changes }) {
  const edits = documentChanges
    ? documentChanges.find(({ textDocument }) => textDocument.uri === uri).edits
    : changes[uri];
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = ({ line, character }) => starts[line] + character;
  let result = text;
  for (const { range, newText } of [...edits].reverse())
    result = result.slice(0, offset(range.start)) + newText + result.slice(offset(range.end));
  return result;
}

for (const [name, source] of Object.entries(Textbook))
  test(`${name}: a fix is offered, and the edited text is right`, () =>
    session({ capabilities: Full }, async (client) => {
      const uri = await client.open(name, source);
      const [diagnostic] = await client.checked(uri);
      await client.until("a fix", () => client.status(uri).fixes.offers > 0);
      await searched(client, uri);
      const actions = await actionsAt(client, uri, diagnostic.range);
      const [best] = actions;
      assert.match(best.title, /verified( up to 8 iterations)? for SC, TSO, PSO, ARM64, POWER and C11, minimal\)$/);
      assert.equal(best.kind, "quickfix");
      assert.equal(best.isPreferred, true);
      assert.deepEqual(best.diagnostics[0], diagnostic); // a data race may be at the same place
      assert.deepEqual(
        best.edit.documentChanges.map(({ textDocument }) => textDocument),
        [{ uri, version: 1 }],
      );
      assert.equal(actions.filter(({ isPreferred }) => isPreferred).length, 1);
      assert.equal(new Set(actions.map(({ title }) => title)).size, actions.length, "every title says something else");
      for (const { edit, title } of actions) {
        await client.editAndSave(uri, edited(source, uri, edit));
        const left = errors(await client.checked(uri));
        if (/SC, TSO/.test(title)) assert.deepEqual(left, [], title);
        for (const { model, verdict } of client.status(uri).models)
          if (title.includes(model.toUpperCase())) assert.match(verdict, /verified|bounded/, `${title}: ${model}`);
      }
    }));

test("The code lens offers the fences once they are proved; applying them makes all models right", () =>
  session({ capabilities: Full }, async (client) => {
    const source = example("dekker.c");
    const uri = await client.open("dekker.c", source);
    await client.checked(uri);
    await searched(client, uri);
    const lenses = await client.request("textDocument/codeLens", { textDocument: { uri } });
    const lens = lenses.find(({ command }) => command.title === "Add fences");
    assert.deepEqual(lens.command, { title: "Add fences", command: "picket.addFences", arguments: [uri] });
    const reply = await client.command(lens.command.command, ...lens.command.arguments);
    assert.equal(reply.applied, true);
    const [{ params }] = client.serverRequests("workspace/applyEdit");
    assert.equal(params.label, reply.title);
    await client.editAndSave(uri, edited(source, uri, params.edit));
    assert.deepEqual(errors(await client.checked(uri)), []);
    assert.deepEqual(
      client.status(uri).models.map(({ verdict }) => /verified|bounded/.test(verdict)),
      [true, true, true, true, true, true],
    );
    assert.equal(client.status(uri).fixes.offers, 0);
    assert(
      !(await client.request("textDocument/codeLens", { textDocument: { uri } })).some(
        ({ command }) => command.title === "Add fences",
      ),
    );
  }));

test("A fix for one model only is offered beside the one for all, where it needs less", () =>
  session({ capabilities: Full }, async (client) => {
    // Under TSO the stores of the writer keep their order; under PSO they do not.
    const source = `${VolatileIsAtomic}#include <assert.h>
#include <pthread.h>
volatile int x, y, data, ready;
int a, b;
void *left(void *p) {
  x = 1;
  a = y;
  data = 1;
  ready = 1;
  return p;
}
void *right(void *p) {
  y = 1;
  b = x;
  if (ready) assert(data == 1);
  return p;
}
int main(void) {
  pthread_t l, r;
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  assert(a || b);
  return 0;
}
`;
    const uri = await client.open("both.c", source);
    await client.checked(uri);
    await searched(client, uri);
    const titles = (await actionsAt(client, uri, everywhere)).map(({ title }) => title);
    assert.match(
      titles[0],
      /^Fix all models: add 4 fences \(verified for SC, TSO, PSO, ARM64, POWER and C11, minimal\)$/,
    );
    assert(titles.includes("Add 2 fences (verified for TSO, minimal)"), titles.join("\n"));
  }));

test("Clients without versions of edits get plain changes; old ones get commands", async () => {
  const plain = { ...Full, workspace: { ...Full.workspace, workspaceEdit: {} } };
  await session({ capabilities: plain }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    await searched(client, uri);
    const [{ edit }] = await actionsAt(client, uri, everywhere);
    assert.deepEqual(Object.keys(edit), ["changes"]);
    await client.editAndSave(uri, edited(Buggy, uri, edit));
    assert.deepEqual(await client.checked(uri), []);
  });
  const old = { ...Full, textDocument: { ...Full.textDocument, codeAction: {} } };
  await session({ capabilities: old }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    await searched(client, uri);
    const [action] = await actionsAt(client, uri, everywhere);
    assert.deepEqual(Object.keys(action).sort(), ["arguments", "command", "title"]);
    assert.equal((await client.command(action.command, ...action.arguments)).applied, true);
    const [{ params }] = client.serverRequests("workspace/applyEdit");
    await client.editAndSave(uri, edited(Buggy, uri, params.edit));
    assert.deepEqual(await client.checked(uri), []);
  });
});

test("Only quick fixes, and only where the finding is", () =>
  session({ capabilities: Full }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    const [{ range }] = await client.checked(uri);
    await searched(client, uri);
    assert.notEqual((await actionsAt(client, uri, range, { only: ["quickfix"] })).length, 0);
    assert.deepEqual(await actionsAt(client, uri, range, { only: ["refactor", "source.fixAll"] }), []);
    assert.deepEqual(
      await actionsAt(client, uri, { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }),
      [],
    );
    const inside = { line: range.start.line, character: range.start.character + 1 };
    assert.notEqual((await actionsAt(client, uri, { start: inside, end: inside })).length, 0);
  }));

test("Columns beyond ASCII: the edit fits", () =>
  session({ capabilities: Full }, async (client) => {
    const source = storeBuffering({ before: "/* 𝄞é */ " });
    const uri = await client.open("clef.c", source);
    await client.checked(uri);
    await searched(client, uri);
    const [{ edit }] = await actionsAt(client, uri, everywhere);
    const text = edited(source, uri, edit);
    assert(text.includes("/* 𝄞é */ x = 1;"));
    await client.editAndSave(uri, text);
    assert.deepEqual(await client.checked(uri), []);
  }));

test("Fences in a header: the edit is in the header, with its version if it is open", () =>
  session({ capabilities: Full }, async (client) => {
    const header = "volatile int x, y;\nint a, b;\nstatic void *left(void *p) {\n  x = 1;\n  a = y;\n  return p;\n}\n";
    const source = `${VolatileIsAtomic}#include <assert.h>\n#include <pthread.h>\n#include "left.h"\n${Buggy.slice(Buggy.indexOf("void *right"))}`;
    const onDisk = client.write("left.h", header);
    const uri = await client.open("main.c", source);
    await client.checked(uri);
    await searched(client, uri);
    const changed = async () => {
      const [{ edit }] = await actionsAt(client, uri, everywhere);
      return Object.fromEntries(
        edit.documentChanges.map(({ textDocument }) => [textDocument.uri, textDocument.version]),
      );
    };
    assert.deepEqual(await changed(), { [onDisk]: null, [uri]: 1 });
    client.write("left.h", `${header}\n`); // by somebody else: the edit would still fit, but nobody proved it
    assert(!(await actionsAt(client, uri, everywhere)).some(({ edit }) => edit), "an edit for another text");
    client.write("left.h", header);
    assert.deepEqual(await changed(), { [onDisk]: null, [uri]: 1 });
    await client.notify("textDocument/didOpen", {
      textDocument: { uri: onDisk, languageId: "c", version: 7, text: header },
    });
    assert.deepEqual(await changed(), { [onDisk]: 7, [uri]: 1 });
    await client.notify("textDocument/didChange", {
      textDocument: { uri: onDisk, version: 8 },
      contentChanges: [{ text: `\n${header}` }],
    });
    await client.until("the fixes to be forgotten", () => client.status(uri).fixes.offers === 0);
    assert(!(await actionsAt(client, uri, everywhere)).some(({ edit }) => edit), "an edit for another text");
  }));

test("An edited text has no fixes until it is checked again", () =>
  session({ capabilities: Full }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.checked(uri);
    await searched(client, uri);
    await client.edit(uri, `\n${Buggy}`);
    assert.deepEqual(await actionsAt(client, uri, everywhere), []);
    const published = client.published(uri).length;
    await client.until("the status", () => client.status(uri).fixes.offers === 0);
    assert.equal(client.published(uri).length, published, "nothing is said about a text that was not checked");
    await client.save(uri);
    await client.checked(uri);
    await searched(client, uri);
    const [{ edit }] = await actionsAt(client, uri, everywhere);
    assert.equal(edit.documentChanges[0].textDocument.version, 2);
    await client.editAndSave(uri, edited(`\n${Buggy}`, uri, edit));
    assert.deepEqual(await client.checked(uri), []);
  }));

/** A violation that is found at once, and fixes that take long to prove: a spinning crowd must be explored for each. */
const Slow = writers(9, "x != 0")
  .replace("volatile int x;", "volatile int x, f, g; int a, b;")
  .replace(
    "int main(void) {",
    `void *left(void *p) { f = 1; a = g; return p; }
void *right(void *p) { g = 1; b = f; return p; }
int main(void) {
  pthread_t l, r;
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  assert(a || b);`,
  );

test("Editing ends the search; a slow search never holds up a result", () =>
  session({ capabilities: Full, initializationOptions: { models: ["tso"], timeout: "0" } }, async (client) => {
    const uri = await client.open("slow.c", Slow);
    await client.checked(uri);
    await client.until("a search", () => client.status(uri).fixes.searching);
    const searching = await workerAtWork(client);
    const other = await client.open("sb.c", Fixed);
    assert.deepEqual(await client.checked(other), []);
    assert(client.status(uri).fixes.searching, "still at it");
    const waiting = client.command("picket.addFences", uri).then(
      () => "done",
      (error) => error,
    );
    await client.edit(uri, Buggy);
    assert.match((await waiting).message, /edited/);
    await eventually("the search to end", () => !alive(searching));
    await client.save(uri);
    assert.equal((await client.checked(uri)).length, 1);
    await searched(client, uri);
    assert.equal(client.status(uri).fixes.offers > 0, true);
  }));

test("Cancelling ends the search, and what waits for it is told so", () =>
  session({ capabilities: Full, initializationOptions: { models: ["tso"], timeout: "0" } }, async (client) => {
    const uri = await client.open("slow.c", Slow);
    await client.checked(uri);
    await client.until("a search", () => client.status(uri).fixes.searching);
    const waiting = client.command("picket.addFences", uri).then(
      () => "done",
      (error) => error,
    );
    await client.command("picket.cancel", { uri });
    assert.equal((await waiting).code, -32800);
    await searched(client, uri);
    assert.equal(client.status(uri).state, "done", "the result of the check stays");
    assert.equal(client.shown(uri).length, 1);
    const [action] = await actionsAt(client, uri, everywhere);
    assert.equal(action.title, "Add fences…", "it can be asked for again");
  }));

test("A worker killed during the search: another one finds the fix", () =>
  session({ capabilities: Full, initializationOptions: { models: ["tso"] } }, async (client) => {
    const text = Slow.replaceAll("9", "6");
    const uri = await client.open("slow.c", text);
    await client.checked(uri);
    await client.until("a search", () => client.status(uri).fixes.searching);
    for (const worker of workersOf(client.process.pid)) process.kill(worker, "SIGKILL");
    await searched(client, uri);
    assert.equal(client.shown(uri).length, 1, "and nobody is told of a crash");
    assert.notEqual(client.status(uri).fixes.offers, 0, JSON.stringify(client.status(uri).fixes));
  }));

test("A search that crashes again and again costs no result", () =>
  session({ capabilities: Full, env: { PICKET_CRASH_ON: "sb.c (fix)" } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    await searched(client, uri);
    assert.equal(client.status(uri).state, "done");
    assert.match(client.status(uri).fixes.reason, /stopped unexpectedly/);
    const [action] = await actionsAt(client, uri, everywhere);
    assert.match(action.disabled.reason, /stopped unexpectedly/);
  }));

test("Without the setting nothing is looked for until somebody asks: resolve finds the edit", () =>
  session({ capabilities: Full, initializationOptions: { fixes: false } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    const [{ range }] = await client.checked(uri);
    assert.equal(client.status(uri).fixes.searching, false);
    const [action] = await actionsAt(client, uri, range);
    assert.equal(action.title, "Add fences…");
    assert.equal(action.edit, undefined, "nothing that is not proved");
    const resolved = await client.request("codeAction/resolve", action);
    assert.equal(resolved.title, action.title);
    await client.editAndSave(uri, edited(Buggy, uri, resolved.edit));
    assert.deepEqual(await client.checked(uri), []);
    const stale = await client.request("codeAction/resolve", action).catch((error) => error);
    assert.equal(stale.code, -32801);
  }));

test("What fences cannot fix is said to be so", () =>
  session({ capabilities: Full }, async (client) => {
    const source = Fixed.replace("assert(a || b)", "assert(a && b)");
    const uri = await client.open("sc.c", source);
    const [{ range }] = await client.checked(uri);
    await searched(client, uri);
    const [action] = await actionsAt(client, uri, range);
    assert.match(action.disabled.reason, /sequential consistency/);
    const refused = await client.command("picket.addFences", uri).catch((error) => error);
    assert.equal(refused.code, -32803);
    assert.match(refused.message, /also happens under sequential consistency: no fence can prevent it/);
    const right = await client.open("right.c", Fixed);
    await client.checked(right);
    assert.match((await client.command("picket.addFences", right).catch((error) => error)).message, /nothing to fix/);
    assert.match(
      (await client.command("picket.addFences", right, "none").catch((error) => error)).message,
      /no memory model/,
    );
  }));

test("Add fences for one model, also before anything was checked", () =>
  session({ capabilities: Full, initializationOptions: { check: { trigger: "manual" } } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    const { applied, title } = await client.command("picket.addFences", uri, "tso");
    assert.equal(applied, true);
    assert.equal(title, "Add 2 fences (verified for TSO, minimal)");
  }));

test("A program that is right but not robust: fences make it so", () =>
  session({ capabilities: Full }, async (client) => {
    const source = storeBuffering().replace("assert(a || b)", "assert(a >= 0)");
    const uri = await client.open("loose.c", source);
    const diagnostics = await client.checked(uri);
    assert.notEqual(diagnostics.length, 0, "where it is not robust");
    for (const { severity } of diagnostics) assert.equal(severity, 3);
    await searched(client, uri);
    const actions = await actionsAt(client, uri, everywhere);
    assert.match(actions[0].title, /^Make the program robust under TSO( and PSO)? \(2 fences, verified, minimal\)$/);
    await client.editAndSave(uri, edited(source, uri, actions[0].edit));
    assert.deepEqual(await client.checked(uri), []);
  }));

/** One fence that is needed, one that is not. */
const Fenced = Fixed.replace("int main(void) {", "int main(void) {\n  __sync_synchronize();");

test("Fences that are not needed are hints, with quick fixes", () =>
  session({ capabilities: Full }, async (client) => {
    const uri = await client.open("fenced.c", Fenced);
    assert.deepEqual(await client.checked(uri), [], "not unless it is asked for");
    assert.deepEqual(await client.command("picket.relax", uri), { hints: 1 });
    await client.until("the hint", () => client.shown(uri).length === 1);
    const [hint] = client.shown(uri);
    assert.equal(hint.severity, 4);
    assert.deepEqual(hint.tags, [1]);
    assert.equal(hint.code, "not-needed");
    assert.equal(hint.message, "this fence is not needed under SC, TSO, PSO, ARM64, POWER and C11");
    assert.equal(hint.range.start.line, lineOf(Fenced, "int main") + 1);
    const [action] = await actionsAt(client, uri, hint.range);
    assert.equal(action.title, "Remove 1 fence (verified for SC, TSO, PSO, ARM64, POWER and C11)");
    assert.deepEqual(action.diagnostics, [hint]);
    const text = edited(Fenced, uri, action.edit);
    assert.equal(text.split("__sync_synchronize").length, Fenced.split("__sync_synchronize").length - 1);
    await client.editAndSave(uri, text);
    assert.deepEqual(await client.checked(uri), []);
    assert.deepEqual(await client.command("picket.relax", uri), {
      hints: 0,
      reason: "all fences and memory orders are needed",
    });
  }));

test("With the setting, fences that are not needed are told after each check", () =>
  session({ capabilities: Full, initializationOptions: { relax: true } }, async (client) => {
    const uri = await client.open("fenced.c", Fenced);
    await client.checked(uri);
    await client.until("the hint", () => client.shown(uri).some(({ code }) => code === "not-needed"));
    await client.editAndSave(uri, Buggy);
    assert.deepEqual(
      (await client.checked(uri)).map(({ severity }) => severity),
      [1],
    );
    await searched(client, uri);
    assert.deepEqual(
      client.shown(uri).map(({ severity }) => severity),
      [1],
      "a program with bugs needs all it has",
    );
  }));

test("picket/fixes: what would change, and where", () =>
  session({ capabilities: Full }, async (client) => {
    const source = example("dekker.c");
    const uri = await client.open("dekker.c", source);
    await client.checked(uri);
    const answer = await client.request("picket/fixes", { uri, wait: true });
    assert.equal(answer.uri, uri);
    assert.equal(answer.version, 1);
    const [best] = answer.fixes;
    assert.equal(best.aim, "no-bug");
    assert.equal(best.preferred, true);
    assert.deepEqual(best.models, ["sc", "tso", "pso", "armv8", "power", "c11"]);
    assert(best.changes.length >= 2);
    for (const { text, kind, earlier, later } of best.changes) {
      assert.match(text, /line \d+/);
      assert.match(kind, /fence|order/);
      assert(earlier.line > 0 || later.line > 0);
    }
    assert.match(best.diff, /^--- a\/.*dekker\.c\n\+\+\+ b\/.*dekker\.c\n@@/);
    assert.equal(best.diff.split("\n").filter((line) => /^\+[^+]/.test(line)).length >= best.changes.length, true);
    await client.editAndSave(uri, edited(source, uri, best.edit));
    assert.deepEqual(errors(await client.checked(uri)), []);
    const old = await client.command("picket.addFences", { uri, fix: best.id }).catch((error) => error);
    assert.equal(old.code, -32801, "its text is gone");
  }));

/** A test that includes a library, whose accesses go through wrappers. */
const Wrappers = `typedef struct { int _v; } atomic32_t;
static inline void atomic32_write_rlx(atomic32_t *a, int v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELAXED); }
static inline void atomic32_write_rel(atomic32_t *a, int v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELEASE); }
static inline int atomic32_read_acq(atomic32_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_ACQUIRE); }
`;
const Library = `#include "atomics.h"
struct box { atomic32_t full; int rest; };
static void box_clear(struct box *b) { atomic32_write_rlx(&b->full, 0); }
static void box_set(struct box *b) {
  atomic32_write_rlx(&b->full, 1);
}
static int box_get(struct box *b) { return atomic32_read_acq(&b->full); }
`;
const LibraryTest = `#include <assert.h>
#include <pthread.h>
#include "box.h"
struct box box;
int message;
void *sender(void *p) { message = 1; box_set(&box); return p; }
void *receiver(void *p) { if (box_get(&box)) assert(message == 1); return p; }
int main(void) {
  pthread_t t, u;
  box_clear(&box);
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, receiver, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
`;
const changedBy = ({ edit }) => edit.documentChanges.map(({ textDocument }) => textDocument.uri);

test("A fix of a library changes the call in the library, and a setting keeps it out of there", () =>
  session({ capabilities: Full }, async (client) => {
    client.write("atomics.h", Wrappers);
    const library = client.write("box.h", Library);
    const uri = await client.open("test.c", LibraryTest);
    await client.checked(uri);
    await searched(client, uri);
    const [best] = await actionsAt(client, uri, everywhere);
    assert.deepEqual(changedBy(best), [library]);
    assert.equal(
      edited(Library, library, best.edit),
      Library.replace("write_rlx(&b->full, 1)", "write_rel(&b->full, 1)"),
    );
    await client.notify("workspace/didChangeConfiguration", { settings: { picket: { "not-in": ["box.h"] } } });
    await client.until("fixes for other files", () => client.status(uri).fixes.offers === 0);
    await client.checked(uri);
    await searched(client, uri);
    for (const action of await actionsAt(client, uri, everywhere))
      if (action.edit) assert.deepEqual(changedBy(action), [uri], action.title);
  }));

// Programs of several files: what is linked, files without `main`, and where what is wrong with them shows.
import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { FullCapabilities, isFinal, session } from "./client.mjs";
import { lineOf } from "./programs.mjs";

/** A queue with one slot, right or wrong. */
const header = "void put(int value);\nint take(int *value);\n";
const library = (order) => `#include <stdatomic.h>
#include "queue.h"
static int slot;
static atomic_int full;
void put(int value) {
  slot = value;
  atomic_store_explicit(&full, 1, memory_order_${order});
}
int take(int *value) {
  if (!atomic_load_explicit(&full, memory_order_acquire))
    return 0;
  *value = slot;
  return 1;
}
`;
const program = `// picket: with=queue.c models=pso
#include <assert.h>
#include <pthread.h>
#include "queue.h"
static void *producer(void *arg) {
  put(41);
  return arg;
}
int main(void) {
  pthread_t t;
  int got = 41;
  pthread_create(&t, 0, producer, 0);
  take(&got);
  assert(got == 41);
  pthread_join(t, 0);
  return 0;
}
`;
/** The same as a header with everything in it. */
const inline = (order) =>
  library(order)
    .replace('#include "queue.h"\n', "")
    .replaceAll(/^(void|int) /gm, "static inline $1 ");
const includer = program.replace("with=queue.c ", "");

const Full = {
  ...FullCapabilities,
  workspace: { ...FullCapabilities.workspace, workspaceEdit: { documentChanges: true } },
  textDocument: {
    ...FullCapabilities.textDocument,
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } },
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
    },
  },
};
const everywhere = { start: { line: 0, character: 0 }, end: { line: 9999, character: 0 } };

/** Waits for diagnostics of a file, whoever shows them. */
const shows = (client, uri, wanted, what) =>
  client.until(what, () => client.published(uri).length && wanted(client.shown(uri)) && { found: client.shown(uri) });
const isClean = (diagnostics) => diagnostics.length === 0;
const isWrong = (diagnostics) => diagnostics.some(({ severity }) => severity === 1);
const lensesOf = (client, uri) => client.request("textDocument/codeLens", { textDocument: { uri } });

test("A file names the others of its program, and their unsaved text counts", () =>
  session({}, async (client) => {
    client.write("queue.h", header);
    const queue = client.write("queue.c", library("release"));
    const uri = await client.open("test.c", program);
    assert.deepEqual(await client.checked(uri), []);
    await client.open("queue.c", library("relaxed")); // on disk it is right
    await client.editAndSave(uri, `${program}\n`);
    const [error] = await client.checked(uri);
    assert.equal(error.range.start.line, lineOf(program, "assert(got"));
    assert(
      error.relatedInformation.some(({ location }) => location.uri === queue),
      "steps in the other file",
    );
    // Saving the other file checks the program again.
    await client.editAndSave(queue, library("release"));
    await shows(client, uri, isClean, "the program to be right");
    await client.editAndSave(queue, library("relaxed"));
    await shows(client, uri, isWrong, "the program to be wrong");
    await client.close(queue);
    await client.editAndSave(uri, program);
    assert.deepEqual(await client.checked(uri), []);
  }));

test("With the trigger 'change', edits of the other file check the program", () =>
  session({ initializationOptions: { check: { trigger: "change" } } }, async (client) => {
    client.write("queue.h", header);
    client.write("queue.c", library("release"));
    const uri = await client.open("test.c", program);
    assert.deepEqual(await client.checked(uri), []);
    const queue = await client.open("queue.c", library("release"));
    await client.edit(queue, library("relaxed"));
    await shows(client, uri, isWrong, "the program to be wrong");
    await client.edit(queue, library("release"));
    await shows(client, uri, isClean, "the program to be right");
  }));

test("What cannot be linked is told with the place in the other file", () =>
  session({}, async (client) => {
    client.write("queue.h", header);
    const queue = client.write("queue.c", `${library("release")}int main(void) { return 1; }\n`);
    const uri = await client.open("test.c", program);
    const [error] = await client.checked(uri);
    assert.match(error.message, /does not compile: multiple definition of 'main'/);
    assert.equal(error.relatedInformation[0].location.uri, queue);
    client.write("queue.c", library("release").replace("int take", "int took"));
    await client.editAndSave(uri, `${program}\n`);
    const [missing] = await client.checked(uri);
    assert.match(missing.message, /undefined reference to 'take'/);
  }));

test("A fix is an edit of the file that has the access", () =>
  session({ capabilities: Full }, async (client) => {
    client.write("queue.h", header);
    const queue = client.write("queue.c", library("relaxed"));
    const uri = await client.open("test.c", program);
    await client.checked(uri);
    await client.until("the fixes", () => client.status(uri).fixes.offers > 0);
    const actions = await client.request("textDocument/codeAction", {
      textDocument: { uri },
      range: everywhere,
      context: { diagnostics: client.shown(uri) },
    });
    const changed = actions[0].edit.documentChanges;
    assert.deepEqual(
      changed.map(({ textDocument }) => textDocument.uri),
      [queue],
    );
    assert.equal(changed[0].edits[0].range.start.line, lineOf(library("relaxed"), "memory_order_relaxed"));
  }));

for (const [what, name, text, test_] of [
  ["header", "queue.h", inline, includer],
  ["file that is linked", "queue.c", library, program],
])
  test(`A ${what} is checked by the programs that use it, and shows what is wrong with it`, () =>
    session({ capabilities: Full }, async (client) => {
      if (name !== "queue.h") client.write("queue.h", header);
      client.write(name, text("release"));
      const program = client.write("test.c", test_);
      const uri = await client.open(name, text("release"));
      await client.until("the program to be found", () => client.status(uri)?.programs?.[0] === program);
      await client.until("its check", () => client.status(program) && isFinal(client.status(program)));
      assert.equal(client.status(program).background, true);
      await client.until("the status to tell it", () => /^checked by test\.c: PSO ✓/.test(client.status(uri).text));
      assert.deepEqual(client.shown(uri), []);
      const [lens] = await lensesOf(client, uri);
      assert.match(lens.command.title, /^Checked by test\.c: PSO ✓/);

      // Weaken an order, save: the store shows it, and says which program does.
      client.write(name, text("relaxed"));
      await client.editAndSave(uri, text("relaxed"));
      const { found } = await shows(client, uri, isWrong, "a diagnostic in the library");
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.match(found[0].message, /^assertion can fail under PSO: .* \(shown by test\.c:14\)$/);
      const line = found[0].range.start.line;
      assert(
        line >= lineOf(text("relaxed"), "slot = value") && line <= lineOf(text("relaxed"), "memory_order_relaxed"),
        `${line}`,
      );
      assert.equal(found[0].relatedInformation[0].location.uri, program);
      await shows(client, program, isWrong, "the test to show it as well");
      await client.until("a lens", () => client.status(program)?.counterexamples?.length);
      const lenses = await lensesOf(client, uri);
      assert.match(lenses[0].command.title, /PSO ✗/);
      assert.deepEqual(lenses[1].command.arguments, [program, "pso"]);
      const trace = await client.request("picket/counterexample", { uri: program });
      assert(trace.steps.length > 3);

      // The fix is offered there, too.
      await client.until("the fixes", () => client.status(program).fixes.offers > 0);
      const actions = await client.request("textDocument/codeAction", {
        textDocument: { uri },
        range: found[0].range,
        context: { diagnostics: found },
      });
      const { edit } = actions.find((action) => action.edit);
      assert.deepEqual(
        edit.documentChanges.map(({ textDocument }) => textDocument),
        [{ uri, version: 2 }],
      );
      const hover = await client.request("textDocument/hover", {
        textDocument: { uri },
        position: { line: lineOf(text(""), "slot = value"), character: 4 },
      });
      assert.match(hover.contents.value, /slot/);

      await client.editAndSave(uri, text("release"));
      await shows(client, uri, isClean, "the library to be right");
      await shows(client, program, isClean, "the test to be right");
      // Nobody needs the program any more.
      await client.close(uri);
      await client.until("the program to be forgotten", () => client.published(program).length > 0);
      assert.equal(await client.request("picket/status", { uri: program }), null);
    }));

test("Programs come, are renamed and go", () =>
  session({}, async (client) => {
    const at = (name) => path.join(client.directory, name);
    const changed = (...names) =>
      client.notify("workspace/didChangeWatchedFiles", {
        changes: names.map((name) => ({ uri: client.uri(name), type: 2 })),
      });
    client.write("queue.h", inline("relaxed"));
    const uri = await client.open("queue.h", inline("relaxed"));
    const programs = (...names) =>
      client.until(`${names} to use it`, () => {
        const now = (client.status(uri)?.programs ?? []).map((program) => path.basename(program));
        return now.join() === names.join();
      });
    client.write("one.c", includer);
    await changed("one.c");
    await programs("one.c");
    await shows(client, uri, isWrong, "what is wrong");
    renameSync(at("one.c"), at("two.c"));
    await changed("one.c", "two.c");
    await programs("two.c");
    await client.until("the message to name it", () =>
      client.shown(uri).some(({ message }) => message.includes("shown by two.c")),
    );
    rmSync(at("two.c"));
    await changed("two.c");
    await programs();
    await shows(client, uri, isClean, "nothing to be wrong");
  }));

test("A program that is open is the one that is checked, with its unsaved text", () =>
  session({}, async (client) => {
    client.write("queue.h", inline("relaxed"));
    const program = client.write("test.c", "int main(void) { return 0; }\n");
    const uri = await client.open("queue.h", inline("relaxed"));
    await client.open("test.c", includer);
    await shows(client, uri, isWrong, "what is wrong");
    assert.equal(client.status(program).background, undefined);
    await client.close(program); // on disk it does not use the header
    await shows(client, uri, isClean, "nothing to be wrong");
  }));

test("A file that no program uses says so", () =>
  session({}, async (client) => {
    client.write("queue.h", header);
    const queue = client.write("queue.c", library("release"));
    await client.open("queue.c", library("release"));
    let lenses = [];
    for (let tries = 0; tries < 100 && !lenses.length; ++tries) {
      lenses = await lensesOf(client, queue);
      await new Promise((later) => setTimeout(later, 50));
    }
    assert.deepEqual(
      lenses.map(({ command }) => command.title),
      ["No program uses this file"],
    );
    assert.deepEqual(client.shown(queue), []);
  }));

test("The command checks a file by all programs that use it", () =>
  session({ initializationOptions: { check: { trigger: "manual" } } }, async (client) => {
    client.write("queue.h", inline("relaxed"));
    for (const name of ["one.c", "two.c"]) client.write(name, includer);
    const uri = await client.open("queue.h", inline("relaxed"));
    await client.until("the programs", () => client.status(uri)?.programs?.length === 2);
    assert.deepEqual(client.shown(uri), []);
    const status = await client.command("picket.check", uri);
    assert.match(status.text, /checked by one\.c: PSO ✗.*; checked by two\.c: PSO ✗/);
    assert.equal(client.shown(uri).length, 2);
  }));

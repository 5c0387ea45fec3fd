// What is checked when, and what the person sees of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, isFinal, session } from "./client.mjs";
import { ticksOf, workersOf } from "./processes.mjs";
import { Buggy, Endless, EndlessBuggy, Fixed, lineOf, writers } from "./programs.mjs";

/** The one error of a program with one bug. */
function theError(diagnostics) {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 1);
  assert.equal(errors.length, 1, JSON.stringify(diagnostics));
  return errors[0];
}

test("Dekker: the assertion that fails is marked, with the steps that lead there", () =>
  session({}, async (client) => {
    const source = example("dekker.c");
    const uri = await client.open("dekker.c", source);
    const found = await client.checked(uri);
    const race = found.filter(({ code }) => code === "data-race"); // under C11
    assert.equal(race.length, 1, JSON.stringify(race));
    assert.match(race[0].message, /^possible under C11: data race: this write of 'inside' and the write in thread /);
    const error = theError(found.filter(({ code }) => code !== "data-race"));
    assert.equal(error.range.start.line, lineOf(source, "assert(inside == 2)"));
    assert.equal(error.source, "picket");
    assert.match(error.message, /TSO/);
    assert.match(error.message, /inside == 2/);
    const steps = error.relatedInformation;
    assert(steps.length >= 10, JSON.stringify(steps));
    for (const step of steps) {
      assert.equal(step.location.uri, uri);
      assert.notEqual(step.message, "");
    }
    // The step that made it possible: a load that overtook the own store.
    const strange = steps.find(
      (step) => step.location.range.start.line === lineOf(source, "while (atomic_load_explicit(&flag0"),
    );
    assert.match(strange.message, /right/);
    assert.match(strange.message, /flag0/);
    assert.match(strange.message, /buffer/);
  }));

test("A client without relatedInformation gets the same diagnostic without steps", () =>
  session({ capabilities: {} }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    const error = theError(await client.checked(uri));
    assert.equal(error.range.start.line, lineOf(Buggy, "assert("));
    assert.equal(error.relatedInformation, undefined);
  }));

test("Saving a fixed file clears its diagnostics", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    theError(await client.checked(uri));
    await client.editAndSave(uri, Fixed);
    assert.deepEqual(await client.checked(uri), []);
    await client.editAndSave(uri, Buggy);
    theError(await client.checked(uri));
  }));

test("Closing a file clears its diagnostics", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    theError(await client.checked(uri));
    await client.close(uri);
    await client.until("cleared diagnostics", () => client.shown(uri).length === 0);
  }));

test("The result of a text that was edited meanwhile never appears", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", EndlessBuggy);
    await client.checking(uri);
    await client.editAndSave(uri, Fixed);
    assert.deepEqual(await client.checked(uri), []);
    // A second document takes the worker through another check; nothing of the first text may come in that time.
    const other = await client.open("sb.c", Buggy);
    theError(await client.checked(other));
    const old = client.published(uri).filter((message) => message.params.diagnostics.length > 0);
    assert.deepEqual(old, []);
  }));

test("Results that are ready when an edit arrives are not shown for the new text", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    // Ever later in the check, up to beyond its end.
    for (let round = 0; round < 20; ++round) {
      const wanted = round % 2 ? Buggy : Fixed;
      await client.editAndSave(uri, round % 2 ? Fixed : Buggy);
      await new Promise((resolve) => setTimeout(resolve, round * 5)); // any moment is a right one
      await client.editAndSave(uri, wanted);
      assert.equal((await client.checked(uri)).length, round % 2 ? 1 : 0, `round ${round}`);
    }
    const versions = client.published(uri).map((message) => message.params.version);
    assert.deepEqual(
      versions,
      [...versions].sort((left, right) => left - right),
      "versions go up",
    );
  }));

test("Two files are checked at once", () =>
  session({}, async (client) => {
    const slow = await client.open("slow.c", Endless);
    await client.checking(slow);
    const quick = await client.open("sb.c", Buggy);
    theError(await client.checked(quick));
    assert(!isFinal(client.status(slow)), "the slow one is still at it");
    await client.editAndSave(slow, Fixed);
    assert.deepEqual(await client.checked(slow), []);
  }));

test("An included file that is open counts as it is in the editor", () =>
  session({}, async (client) => {
    const header = (fence) => `#define FENCE() ${fence}\n`;
    const main = `#include "fence.h"\n${Fixed.replaceAll("__sync_synchronize()", "FENCE()")}`;
    const fence = client.write("fence.h", header("__sync_synchronize()"));
    client.write("main.c", main);
    const uri = await client.open("main.c", main);
    assert.deepEqual(await client.checked(uri), []);
    await client.open("fence.h", header("(void)0")); // on disk it is a fence
    await client.editAndSave(uri, main + "\n");
    theError(await client.checked(uri));
    await client.edit(fence, header("__sync_synchronize()"));
    await client.editAndSave(uri, main + "\n\n");
    assert.deepEqual(await client.checked(uri), []);
    assert.deepEqual(client.shown(fence), []);
  }));

test("A header that is in no file yet can be included", () =>
  session({}, async (client) => {
    await client.open("unsaved.h", "#define FENCE()\n");
    const uri = await client.open(
      "main.c",
      `#include "unsaved.h"\n${Fixed.replaceAll("__sync_synchronize()", "FENCE()")}`,
    );
    const error = theError(await client.checked(uri));
    assert.match(error.message, /a \|\| b/);
  }));

test("Files without main, or without threads, are left in peace", () =>
  session({}, async (client) => {
    const library = await client.open(
      "library.c",
      "#include <assert.h>\nint half(int n) { assert(n % 2 == 0); return n / 2; }\n",
    );
    const header = await client.open("header.h", "#pragma once\nint half(int n);\n");
    const single = await client.open("single.c", "#include <assert.h>\nint main(void) { assert(1); return 0; }\n");
    for (const uri of [library, header, single]) {
      await client.until("a final status", () => client.status(uri) && isFinal(client.status(uri)));
      assert.deepEqual(client.shown(uri), []);
    }
    assert.equal(client.notifications("window/showMessage").length, 0);
  }));

test("A file that does not compile has one diagnostic, at the first error", () =>
  session({}, async (client) => {
    const broken = Buggy.replace("x = 1;", "x = one;").replace("y = 1;", "y = another;");
    const uri = await client.open("broken.c", broken);
    const diagnostics = await client.checked(uri);
    assert.equal(diagnostics.length, 1);
    assert.equal(diagnostics[0].range.start.line, lineOf(broken, "x = one;"));
    assert.match(diagnostics[0].message, /one/);
    await client.editAndSave(uri, Buggy);
    theError(await client.checked(uri));
  }));

test("An answer that a limit left open is a warning", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", `// picket: timeout=300ms\n${Endless}`);
    const diagnostics = await client.checked(uri);
    assert.equal(diagnostics.length, 1, JSON.stringify(diagnostics));
    assert.equal(diagnostics[0].severity, 2);
    assert.match(diagnostics[0].message, /time/);
  }));

test("Saving a text that compiles to the same program is answered at once", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", writers(9));
    /** What all workers have used the processor for, in hundredths of a second. */
    const used = () => workersOf(client.process.pid).reduce((sum, pid) => sum + ticksOf(pid), 0);
    assert.deepEqual(await client.checked(uri), []);
    const full = used();
    await client.editAndSave(uri, `${writers(9)}// only a remark\n`);
    assert.deepEqual(await client.checked(uri), []);
    const again = used() - full;
    assert(again < full / 3, `${again} ticks after ${full}`);
  }));

test("Files in folders with blanks and other letters are files like all others", () =>
  session({}, async (client) => {
    const uri = await client.open("a b/größe 𝄞 #1.c", Buggy);
    theError(await client.checked(uri));
    assert.equal(client.shown(uri)[0].relatedInformation[0].location.uri, uri);
  }));

test("Documents that are no files are left in peace", () =>
  session({}, async (client) => {
    await client.notify("textDocument/didOpen", {
      textDocument: { uri: "untitled:Untitled-1", languageId: "c", version: 1, text: Buggy },
    });
    await client.notify("textDocument/didChange", {
      textDocument: { uri: "untitled:Untitled-1", version: 2 },
      contentChanges: [{ text: Fixed }],
    });
    await client.notify("textDocument/didClose", { textDocument: { uri: "untitled:Untitled-1" } });
    const uri = await client.open("sb.c", Buggy);
    theError(await client.checked(uri));
  }));

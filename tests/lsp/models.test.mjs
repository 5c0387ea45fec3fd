// Memory models in the editor: all of them are checked from the start, none waits for a slower one, and what one cannot
// check is left to the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "./client.mjs";
import {
  Iriw,
  LoadBuffering,
  NotForGraphs,
  lineOf,
  messagePassing,
  slowAsGraphs,
  storeBuffering,
} from "./programs.mjs";

const verdicts = (status) => status.models.map(({ model, verdict }) => `${model} ${verdict}`);
const titlesOf = async (client, uri) =>
  (await client.request("textDocument/codeLens", { textDocument: { uri } })).map(({ command }) => command.title);
const everywhere = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };
const actionsOf = (client, uri) =>
  client.request("textDocument/codeAction", { textDocument: { uri }, range: everywhere, context: { diagnostics: [] } });
const searched = (client, uri) =>
  client.until(
    "the search for fixes to end",
    () => client.status(uri).fixes.offers > 0 && !client.status(uri).fixes.searching,
  );

test("All models are there without any settings, in this order", () =>
  session({}, async (client) => {
    const { models } = await client.request("picket/models", {});
    assert.deepEqual(
      models.map(({ model, available, selected }) => [model, available, selected]),
      ["sc", "tso", "pso", "armv8", "power", "c11"].map((model) => [model, true, true]),
    );
    for (const { description } of models) assert(description.length > 10, description);
    const uri = await client.open("mp.c", messagePassing());
    const [found] = await client.checked(uri);
    assert.match(found.message, /^assertion can fail under PSO: .* \(ARM64, POWER and C11 too\)$/);
    assert.deepEqual(verdicts(client.status(uri)), [
      "sc verified",
      "tso verified",
      "pso violation",
      "armv8 violation",
      "power violation",
      "c11 violation",
    ]);
    assert.match((await titlesOf(client, uri))[0], /^Picket: SC ✓ {2}TSO ✓ {2}PSO ✗ {2}ARM64 ✗ {2}POWER ✗ {2}C11 ✗ · /);
    await client.editAndSave(uri, `// picket: models=tso\n${messagePassing()}`);
    await client.checked(uri);
    assert.equal(client.status(uri).models.length, 1);
    const all = await client.command("picket.checkAllModels", uri);
    assert.equal(all.models.length, 6);
  }));

test("A data race is told as one of C11, with what can be done", () =>
  session({}, async (client) => {
    const source = storeBuffering().replace("volatile=relaxed", "unroll=3");
    const uri = await client.open("volatile.c", source);
    const findings = await client.checked(uri);
    assert.deepEqual(findings.map(({ code }) => code).sort(), ["assertion", "data-race"]);
    const race = findings.find(({ code }) => code === "data-race");
    assert.match(race.message, /^possible under C11: data race: this (read|write) of '[xy]' and the /);
    const hover = async () =>
      (await client.request("textDocument/hover", { textDocument: { uri }, position: race.range.start }))?.contents
        .value;
    const way =
      /Data races are bugs under C11 only; 'models' in \.picket\.toml can leave C11 out, and 'volatile = "relaxed"' there/;
    assert.match(await hover(), way);
    const named = source.replace("unroll=3", "models=sc,c11");
    await client.editAndSave(uri, named);
    assert.deepEqual(
      (await client.checked(uri)).map(({ code }) => code),
      ["data-race"],
    );
    assert.doesNotMatch(await hover(), way, "who names C11 knows");
    client.write(".picket.toml", 'models = ["sc", "tso", "pso", "armv8", "power"]\n');
    await client.editAndSave(uri, source);
    assert.deepEqual(
      (await client.checked(uri)).map(({ code }) => code),
      ["assertion"],
    );
  }));

for (const [name, source, wrong] of [
  ["a relaxed load of a flag", messagePassing({ store: "release" }), ["armv8", "power", "c11"]],
  ["load buffering", LoadBuffering, ["armv8", "power"]],
  ["independent reads", Iriw, ["power", "c11"]],
])
  test(`Only ${wrong} have the bug (${name}): finding, counterexample, and a fix proved for all models`, () =>
    session({}, async (client) => {
      const uri = await client.open("weak.c", source);
      const [found, ...more] = await client.checked(uri);
      assert.deepEqual(more, []);
      assert.match(
        found.message,
        wrong[0] === "armv8" ? /^assertion can fail under ARM64: / : /^assertion can fail under POWER: /,
      );
      assert.equal(found.severity, 1);
      assert.deepEqual(
        client
          .status(uri)
          .models.filter(({ verdict }) => verdict === "violation")
          .map(({ model }) => model),
        wrong,
      );
      const shown = await client.request("picket/counterexample", { uri });
      assert.equal(shown.model, wrong[0]);
      await searched(client, uri);
      const {
        fixes: [best],
      } = await client.request("picket/fixes", { uri, wait: true });
      assert.match(best.title, /verified for SC, TSO, PSO, ARM64, POWER and C11, minimal\)$/);
      assert.deepEqual(best.models, ["sc", "tso", "pso", "armv8", "power", "c11"]);
    }));

const quick = ["sc verified", "tso verified", "pso verified"];

test("A slow model delays no other: what is known is shown, and stays when the rest is cancelled", () =>
  session({ initializationOptions: { timeout: "100s" } }, async (client) => {
    const source = slowAsGraphs();
    const uri = await client.open("slow.c", source);
    const partial = await client.until(
      "three verdicts",
      () =>
        client.status(uri)?.partial &&
        client.status(uri).models.filter(({ verdict }) => verdict === "verified").length === 3 &&
        client.status(uri),
    );
    assert.equal(partial.state, "checking");
    assert.deepEqual(verdicts(partial), [...quick, "armv8 checking", "power checking", "c11 checking"]);
    assert.match(partial.text, /^SC ✓ {2}TSO ✓ {2}PSO ✓ {2}ARM64 … {2}POWER … {2}C11 … · checking/);
    assert.match(
      (await titlesOf(client, uri))[0],
      /^Picket: SC ✓ {2}TSO ✓ {2}PSO ✓ {2}ARM64 … {2}POWER … {2}C11 … \(press to cancel\)$/,
    );
    await client.command("picket.cancel", uri);
    const cancelled = await client.until(
      "the end",
      () => client.status(uri).state === "cancelled" && client.status(uri),
    );
    assert.deepEqual(verdicts(cancelled), [...quick, "armv8 inconclusive", "power inconclusive", "c11 inconclusive"]);
    assert.match(cancelled.text, /^SC ✓ {2}TSO ✓ {2}PSO ✓ {2}ARM64 \? {2}POWER \? {2}C11 \? · cancelled$/);
  }));

test("A bug is shown, with its counterexample, while ARM64 is being checked; an edit begins anew", () =>
  session({ initializationOptions: { timeout: "100s", fixes: false } }, async (client) => {
    const buggy = slowAsGraphs("r || s || seen");
    const uri = await client.open("slow.c", buggy);
    // TSO and PSO answer in either order. The finding is told under the stronger of those that are known.
    await client.until(
      "all that is quick",
      () => client.status(uri)?.models.filter(({ verdict }) => verdict !== "checking").length === 3,
    );
    const [found] = await client.until(
      "a finding",
      () => client.shown(uri).length > 0 && /under TSO/.test(client.shown(uri)[0].message) && client.shown(uri),
    );
    assert.match(found.message, /^assertion can fail under TSO: /);
    assert.deepEqual(verdicts(client.status(uri)), [
      "sc verified",
      "tso violation",
      "pso violation",
      "armv8 checking",
      "power checking",
      "c11 checking",
    ]);
    assert((await titlesOf(client, uri)).includes("Show counterexample"));
    const shown = await client.request("picket/counterexample", { uri, model: "tso" });
    assert.equal(shown.current, true);
    assert.deepEqual(
      (await actionsOf(client, uri)).map(({ title }) => title),
      ["Add fences…"],
      "fixes can be asked for already",
    );
    await client.editAndSave(uri, messagePassing({ store: "release", load: "acquire" }));
    assert.deepEqual(await client.checked(uri), []);
    assert.equal(client.status(uri).partial, false);
  }));

test("A time limit is one per model: the others keep their verdicts", () =>
  session({ initializationOptions: { timeout: "1s" } }, async (client) => {
    const uri = await client.open("slow.c", slowAsGraphs());
    const [found, ...more] = await client.checked(uri);
    assert.deepEqual(more, []);
    assert.match(found.message, /^not decided under ARM64, POWER and C11: the time limit was reached/);
    assert.deepEqual(verdicts(client.status(uri)), [
      ...quick,
      "armv8 inconclusive",
      "power inconclusive",
      "c11 inconclusive",
    ]);
  }));

test("What only graphs refuse is a note, not a diagnostic, unless somebody named the models", () =>
  session({}, async (client) => {
    const uri = await client.open("unaligned.c", NotForGraphs);
    const [found, ...more] = await client.checked(uri);
    assert.deepEqual(more, []);
    assert.match(found.message, /^assertion can fail under PSO: 'message == 42'$/);
    for (const { verdict, skipped } of client.status(uri).models.slice(3))
      assert.deepEqual([verdict, skipped], ["unsupported", true]);
    assert.match((await titlesOf(client, uri))[0], /^Picket: SC ✓ {2}TSO ✓ {2}PSO ✗ {2}ARM64, POWER, C11 not checked/);
    for (const line of [lineOf(NotForGraphs, "int main"), lineOf(NotForGraphs, "(uintptr_t)bytes + 1")]) {
      const hover = await client.request("textDocument/hover", {
        textDocument: { uri },
        position: { line, character: 4 },
      });
      for (const title of ["ARM64", "POWER", "C11"])
        assert(
          hover?.contents.value.includes(`Not checked under ${title}: an atomic access that is not aligned`),
          hover?.contents.value,
        );
    }
    await searched(client, uri);
    const {
      fixes: [best],
    } = await client.request("picket/fixes", { uri, wait: true });
    assert.match(best.title, /verified for SC, TSO and PSO, minimal\)$/);
    // An editor that sends its defaults has asked for nothing.
    await client.notify("workspace/didChangeConfiguration", {
      settings: { picket: { models: ["sc", "tso", "pso", "armv8", "power", "c11"], unroll: 7 } },
    });
    await client.until(
      "a check with these",
      () => client.status(uri).settings.unroll === 7 && client.status(uri).state === "done",
    );
    assert.equal(client.status(uri).models.at(-1).skipped, true);
    await client.editAndSave(uri, `// picket: models=pso,power\n${NotForGraphs}`);
    const asked = await client.checked(uri);
    assert.deepEqual(asked.map(({ code }) => code).sort(), ["assertion", "unsupported"]);
  }));

/// What a barrier is depends on the architecture: x86 has none where it needs none. Without C11, to which it is a data race.
const Barriers = `/* picket: models=sc,tso,pso,armv8,power */ #include <assert.h>
#include <pthread.h>
#if defined(__x86_64__)
#define smp_wmb() __asm__ volatile("" ::: "memory")
#define smp_rmb() __asm__ volatile("" ::: "memory")
#elif defined(__powerpc64__)
#define smp_wmb() __asm__ volatile("lwsync" ::: "memory")
#define smp_rmb() __asm__ volatile("lwsync" ::: "memory")
#else
#define smp_wmb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif
volatile int data, flag;
static void *writer(void *unused) {
  data = 1;
  smp_wmb();
  flag = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (flag) {
    smp_rmb();
    assert(data == 1);
  }
  pthread_join(t, 0);
  return 0;
}
`;

test("Each model is checked with the fences of its own architecture", () =>
  session({}, async (client) => {
    const uri = await client.open("barriers.c", Barriers);
    const [found, ...more] = await client.checked(uri);
    assert.deepEqual(more, []);
    assert.match(found.message, /^assertion can fail under PSO: [^(]*$/);
    const about = found.relatedInformation.at(-1);
    assert.match(about.message, /the text chooses its code for x86_64 here, and PSO is weaker than that/);
    assert.equal(about.location.range.start.line, 2);
    const all = ["sc verified", "tso verified", "pso violation", "armv8 verified", "power verified"];
    assert.deepEqual(verdicts(client.status(uri)), all);
    assert.deepEqual(
      client.status(uri).models.map(({ target }) => target),
      ["x86_64", "x86_64", "x86_64", "aarch64", "powerpc64le"],
    );
    // The same program for x86, and another one for POWER: what is known of the first says nothing of the second.
    await client.editAndSave(uri, Barriers.replaceAll('"lwsync"', '"nop"   '));
    await client.checked(uri);
    assert.deepEqual(verdicts(client.status(uri)), [...all.slice(0, 4), "power violation"]);
    await client.editAndSave(uri, Barriers);
    await client.checked(uri);
    assert.deepEqual(verdicts(client.status(uri)), all);
  }));

test(
  "With target=host all models check what this machine runs, and a note says so",
  { skip: process.arch !== "x64" },
  () =>
    session({}, async (client) => {
      const uri = await client.open("host.c", `// picket: target=host\n${Barriers}`);
      const [found] = await client.checked(uri);
      assert.match(found.message, /^assertion can fail under PSO: .* \(ARM64 and POWER too\)$/);
      assert.deepEqual(
        client.status(uri).models.map(({ target }) => target),
        Array(5).fill("x86_64"),
      );
      assert.equal(client.status(uri).settings.target, "host");
      const hover = await client.request("textDocument/hover", {
        textDocument: { uri },
        position: { line: 3, character: 0 },
      });
      assert.match(
        hover.contents.value,
        /The text asks here what it is compiled for: that is x86_64 and not powerpc64le/,
      );
    }),
);

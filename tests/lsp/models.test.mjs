// Memory models in the editor: POWER is one of them from the start, none waits for a slower one, and what one cannot check
// is left to the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "./client.mjs";
import { Iriw, LoadBuffering, NotForPower, lineOf, messagePassing, slowUnderPower } from "./programs.mjs";

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

test("All models are there without any settings, in this order; ARM64 and C11 are checked if somebody asks", () =>
  session({}, async (client) => {
    const { models } = await client.request("picket/models", {});
    assert.deepEqual(
      models.map(({ model, available, selected }) => [model, available, selected]),
      ["sc", "tso", "pso", "armv8", "power", "c11"].map((model) => [model, true, !["armv8", "c11"].includes(model)]),
    );
    for (const { description } of models) assert(description.length > 10, description);
    const uri = await client.open("mp.c", messagePassing());
    const [found] = await client.checked(uri);
    assert.match(found.message, /^assertion can fail under PSO: .* \(POWER too\)$/);
    assert.deepEqual(verdicts(client.status(uri)), ["sc verified", "tso verified", "pso violation", "power violation"]);
    assert.match((await titlesOf(client, uri))[0], /^Picket: SC ✓ {2}TSO ✓ {2}PSO ✗ {2}POWER ✗ · /);
    const all = await client.command("picket.checkAllModels", uri);
    assert.equal(all.models.length, 4);
  }));

for (const [name, source] of Object.entries({
  "a relaxed load of a flag": messagePassing({ store: "release" }),
  "load buffering": LoadBuffering,
  "independent reads": Iriw,
}))
  test(`Only POWER has the bug (${name}): finding, counterexample, and a fix proved for all models`, () =>
    session({}, async (client) => {
      const uri = await client.open("power.c", source);
      const [found, ...more] = await client.checked(uri);
      assert.deepEqual(more, []);
      assert.match(found.message, /^assertion can fail under POWER: /);
      assert.equal(found.severity, 1);
      assert.deepEqual(verdicts(client.status(uri)), [
        "sc verified",
        "tso verified",
        "pso verified",
        "power violation",
      ]);
      const shown = await client.request("picket/counterexample", { uri });
      assert.equal(shown.model, "power");
      await searched(client, uri);
      const {
        fixes: [best],
      } = await client.request("picket/fixes", { uri, wait: true });
      assert.match(best.title, /verified for SC, TSO, PSO and POWER, minimal\)$/);
      assert.deepEqual(best.models, ["sc", "tso", "pso", "power"]);
    }));

test("A slow model delays no other: what is known is shown, and stays when the rest is cancelled", () =>
  session({ initializationOptions: { timeout: "100s" } }, async (client) => {
    const source = slowUnderPower();
    const uri = await client.open("slow.c", source);
    const partial = await client.until(
      "three verdicts",
      () =>
        client.status(uri)?.partial &&
        client.status(uri).models.filter(({ verdict }) => verdict === "verified").length === 3 &&
        client.status(uri),
    );
    assert.equal(partial.state, "checking");
    assert.deepEqual(verdicts(partial), ["sc verified", "tso verified", "pso verified", "power checking"]);
    assert.match(partial.text, /^SC ✓ {2}TSO ✓ {2}PSO ✓ {2}POWER … · checking/);
    assert.match((await titlesOf(client, uri))[0], /^Picket: SC ✓ {2}TSO ✓ {2}PSO ✓ {2}POWER … \(press to cancel\)$/);
    await client.command("picket.cancel", uri);
    const cancelled = await client.until(
      "the end",
      () => client.status(uri).state === "cancelled" && client.status(uri),
    );
    assert.deepEqual(verdicts(cancelled), ["sc verified", "tso verified", "pso verified", "power inconclusive"]);
    assert.match(cancelled.text, /^SC ✓ {2}TSO ✓ {2}PSO ✓ {2}POWER \? · cancelled$/);
  }));

test("A bug is shown, with its counterexample, while POWER is being checked; an edit begins anew", () =>
  session({ initializationOptions: { timeout: "100s", fixes: false } }, async (client) => {
    const buggy = slowUnderPower("r || s || seen");
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
    assert.deepEqual(verdicts(client.status(uri)), ["sc verified", "tso violation", "pso violation", "power checking"]);
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
    const uri = await client.open("slow.c", slowUnderPower());
    const [found, ...more] = await client.checked(uri);
    assert.deepEqual(more, []);
    assert.match(found.message, /^not decided under POWER: the time limit was reached/);
    assert.deepEqual(verdicts(client.status(uri)), [
      "sc verified",
      "tso verified",
      "pso verified",
      "power inconclusive",
    ]);
  }));

test("What POWER alone refuses is a note, not a diagnostic, unless somebody asked for POWER", () =>
  session({}, async (client) => {
    const uri = await client.open("unaligned.c", NotForPower);
    const [found, ...more] = await client.checked(uri);
    assert.deepEqual(more, []);
    assert.match(found.message, /^assertion can fail under PSO: 'message == 42'$/);
    const power = client.status(uri).models.at(-1);
    assert.deepEqual([power.verdict, power.skipped], ["unsupported", true]);
    assert.match((await titlesOf(client, uri))[0], /^Picket: SC ✓ {2}TSO ✓ {2}PSO ✗ {2}POWER not checked/);
    for (const line of [lineOf(NotForPower, "int main"), lineOf(NotForPower, "(uintptr_t)bytes + 1")]) {
      const hover = await client.request("textDocument/hover", {
        textDocument: { uri },
        position: { line, character: 4 },
      });
      assert.match(hover?.contents.value ?? "", /Not checked under POWER: an atomic access that is not aligned/);
    }
    await searched(client, uri);
    const {
      fixes: [best],
    } = await client.request("picket/fixes", { uri, wait: true });
    assert.match(best.title, /verified for SC, TSO and PSO, minimal\)$/);
    // An editor that sends its defaults has asked for nothing.
    await client.notify("workspace/didChangeConfiguration", {
      settings: { picket: { models: ["sc", "tso", "pso", "power"], unroll: 7 } },
    });
    await client.until(
      "a check with these",
      () => client.status(uri).settings.unroll === 7 && client.status(uri).state === "done",
    );
    assert.equal(client.status(uri).models.at(-1).skipped, true);
    await client.editAndSave(uri, `// picket: models=pso,power\n${NotForPower}`);
    const asked = await client.checked(uri);
    assert.deepEqual(asked.map(({ code }) => code).sort(), ["assertion", "unsupported"]);
  }));

/// What a barrier is depends on the architecture: x86 has none where it needs none.
const Barriers = `#include <assert.h>
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
    const all = ["sc verified", "tso verified", "pso violation", "power verified"];
    assert.deepEqual(verdicts(client.status(uri)), all);
    assert.deepEqual(
      client.status(uri).models.map(({ target }) => target),
      ["x86_64", "x86_64", "x86_64", "powerpc64le"],
    );
    // The same program for x86, and another one for POWER: what is known of the first says nothing of the second.
    await client.editAndSave(uri, Barriers.replaceAll('"lwsync"', '"nop"   '));
    await client.checked(uri);
    assert.deepEqual(verdicts(client.status(uri)), [...all.slice(0, 3), "power violation"]);
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
      assert.match(found.message, /^assertion can fail under PSO: .* \(POWER too\)$/);
      assert.deepEqual(
        client.status(uri).models.map(({ target }) => target),
        ["x86_64", "x86_64", "x86_64", "x86_64"],
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

// Settings: from the editor, from a .picket.toml, from a comment in the file. The nearest wins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FullCapabilities, isFinal, session } from "./client.mjs";
import { Buggy, Endless, Fixed } from "./programs.mjs";

const configure = (client, picket) => client.notify("workspace/didChangeConfiguration", { settings: { picket } });
const modelsOf = (client, uri) => client.status(uri).models.map(({ model }) => model);

test("Settings at the start", () =>
  session({ initializationOptions: { models: ["sc"] } }, async (client) => {
    const uri = await client.open("sb.c", Buggy); // correct under SC
    assert.deepEqual(await client.checked(uri), []);
    assert.deepEqual(modelsOf(client, uri), ["sc"]);
  }));

test("Changed settings count from the next check on", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    await configure(client, { models: ["sc"] });
    await client.editAndSave(uri, `${Buggy}\n`);
    assert.deepEqual(await client.checked(uri), []);
    await configure(client, { models: ["sc", "tso"] });
    await client.editAndSave(uri, Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    assert.deepEqual(modelsOf(client, uri), ["sc", "tso"]);
  }));

test("Changed settings make open documents be checked again", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    await configure(client, { models: ["sc"] });
    await client.until("cleared diagnostics", () => client.shown(uri).length === 0);
  }));

test("A server that may ask for its settings asks", () => {
  const capabilities = { ...FullCapabilities, workspace: { ...FullCapabilities.workspace, configuration: true } };
  return session({ capabilities }, async (client) => {
    client.settings.picket = { models: ["sc"] };
    await client.notify("workspace/didChangeConfiguration", { settings: null });
    const uri = await client.open("sb.c", Buggy);
    await client.until(
      "a check of SC alone",
      () => client.status(uri) && isFinal(client.status(uri)) && modelsOf(client, uri).join() === "sc",
    );
    assert.deepEqual(client.shown(uri), []);
    assert(client.serverRequests("workspace/configuration").length > 0);
  });
});

test("A comment on the first lines of the file", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", `// picket: models=sc\n${Buggy}`);
    assert.deepEqual(await client.checked(uri), []);
    assert.deepEqual(modelsOf(client, uri), ["sc"]);
    await client.editAndSave(uri, `// picket: models=tso,pso unroll=3 timeout=9s\n${Buggy}`);
    assert.equal((await client.checked(uri)).length, 1);
    assert.deepEqual(modelsOf(client, uri), ["tso", "pso"]);
  }));

test("A .picket.toml beside the file, and the nearest setting wins", () =>
  session({ initializationOptions: { models: ["pso"] } }, async (client) => {
    client.write(".picket.toml", 'models = ["sc"]\n');
    const uri = await client.open("sb.c", Buggy);
    assert.deepEqual(await client.checked(uri), []);
    assert.deepEqual(modelsOf(client, uri), ["sc"]);
    await client.editAndSave(uri, `// picket: models=tso\n${Buggy}`);
    assert.equal((await client.checked(uri)).length, 1);
    assert.deepEqual(modelsOf(client, uri), ["tso"]);
    const toml = client.write(".picket.toml", 'models = ["tso", "pso"]\n');
    await client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: toml, type: 2 }] });
    await client.editAndSave(uri, Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    assert.deepEqual(modelsOf(client, uri), ["tso", "pso"]);
  }));

test("A changed .picket.toml makes open documents be checked again", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    const toml = client.write(".picket.toml", 'models = ["sc"]\n');
    await client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: toml, type: 1 }] });
    await client.until("cleared diagnostics", () => client.shown(uri).length === 0);
  }));

test("Flags out of a compile_commands.json, also when it changes", () =>
  session({}, async (client) => {
    const source = Buggy.replace("x = 1;", "x = 1; FENCE").replace("y = 1;", "y = 1; FENCE");
    const commands = (fence) =>
      JSON.stringify([
        { directory: client.directory, file: "sb.c", arguments: ["cc", `-DFENCE=${fence}`, "-c", "sb.c"] },
      ]);
    const database = client.write("compile_commands.json", commands("__sync_synchronize();"));
    client.write("sb.c", source);
    const uri = await client.open("sb.c", source);
    assert.deepEqual(await client.checked(uri), []);
    client.write("compile_commands.json", commands(""));
    await client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: database, type: 2 }] });
    await client.until("the diagnostic", () => client.shown(uri).length === 1);
  }));

test("The server asks to be told of files that matter", () =>
  session({}, async (client) => {
    const watchers = await client.until("a registration", () =>
      client
        .serverRequests("client/registerCapability")
        .flatMap((message) => message.params.registrations)
        .find((registration) => registration.method === "workspace/didChangeWatchedFiles"),
    );
    const patterns = watchers.registerOptions.watchers.map((watcher) => watcher.globPattern).join();
    assert.match(patterns, /compile_commands\.json/);
    assert.match(patterns, /\.picket\.toml/);
  }));

test("Checked only when asked: check.trigger = manual", () =>
  session({ initializationOptions: { check: { trigger: "manual" } } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    await client.save(uri);
    await client.request("textDocument/codeLens", { textDocument: { uri } }); // everything before it has been dealt with
    assert.deepEqual(client.shown(uri), []);
    assert(!client.statuses(uri).some((status) => status.state === "checking"));
    await client.command("picket.check", { uri });
    await client.until("the diagnostic", () => client.shown(uri).length === 1);
  }));

test("Checked while typing: check.trigger = change", () =>
  session({ initializationOptions: { check: { trigger: "change" } } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    await client.edit(uri, Fixed);
    assert.deepEqual(await client.checked(uri), []);
  }));

test("An edit alone starts no check by default", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    const before = client.published(uri).length;
    const version = await client.edit(uri, Fixed);
    const { state, current } = await client.request("picket/status", { uri });
    assert.equal(current, false, "what was found is about another text");
    assert.equal(state, "done");
    assert(!client.statuses(uri).some((status) => status.version === version && status.state === "checking"));
    assert.equal(client.published(uri).length, before);
  }));

test("An edit while a check runs starts it again with the new text", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", Endless);
    await client.checking(uri);
    await client.edit(uri, Buggy);
    assert.equal((await client.checked(uri)).length, 1);
  }));

test("The kinds of bugs that are looked for can be chosen, and the status says what is left out", () =>
  session({ initializationOptions: { models: ["tso"], checks: ["default", "no-assertion"] } }, async (client) => {
    const uri = await client.open("sb.c", Buggy);
    assert.deepEqual(await client.checked(uri), []);
    assert.match(client.status(uri).text, /without assertion/);
    assert(!client.status(uri).settings.checks.includes("assertion"));
    await client.editAndSave(uri, `// picket: checks=assertion\n${Buggy}`);
    assert.equal((await client.checked(uri)).length, 1);
    assert.match(client.status(uri).text, /without .*memory/);
    await client.editAndSave(uri, `// picket: checks=default,leak\n${Buggy}`);
    assert.equal((await client.checked(uri)).length, 1);
    assert.doesNotMatch(client.status(uri).text, /without/);
    await client.editAndSave(uri, `// picket: checks=races\n${Buggy}`);
    assert.match((await client.checked(uri)).map(({ message }) => message).join(), /'races' is no kind of bug/);
  }));

test("Settings that are none are told of and do no harm", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", `// picket: models=vax unroll=minus colour=red\n${Buggy}`);
    const diagnostics = await client.checked(uri);
    assert.equal(diagnostics.filter(({ severity }) => severity === 1).length, 1, "checked all the same");
    const remarks = diagnostics.filter(({ severity, range }) => severity !== 1 && range.start.line === 0);
    assert.match(remarks.map(({ message }) => message).join(), /vax/);
  }));

// From initialize to exit.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { CancellationTokenSource } from "vscode-languageserver-protocol/node";
import { Client, eventually, FullCapabilities, session } from "./client.mjs";
import { alive, descendants } from "./processes.mjs";
import { Buggy, Endless } from "./programs.mjs";

const refused = (code) => (error) => {
  assert.equal(error.code, code, `${error.code}: ${error.message}`);
  return true;
};

/** A server that need not be stopped politely. */
async function server(options, body) {
  const client = new Client(options);
  try {
    await body(client);
  } finally {
    await client.kill();
  }
}
const initialize = (client, processId = process.pid) =>
  client.initialize({ capabilities: FullCapabilities, processId });

test("The server says what it can do", () =>
  session({}, async (client) => {
    const { capabilities, serverInfo } = client.initialized;
    assert.equal(serverInfo.name, "picket");
    assert.match(serverInfo.version, /^\d+\.\d+\.\d+/);
    assert.equal(capabilities.textDocumentSync.openClose, true);
    assert.equal(capabilities.textDocumentSync.change, 2);
    assert(capabilities.textDocumentSync.save);
    assert(capabilities.hoverProvider);
    assert(capabilities.codeLensProvider);
    const commands = ["check", "checkAllModels", "showCounterexample", "explain", "cancel", "restartWorker"];
    for (const command of commands)
      assert(capabilities.executeCommandProvider.commands.includes(`picket.${command}`), command);
  }));

test("A client that says next to nothing about itself is served", () =>
  server({}, async (client) => {
    await client.request("initialize", { processId: null, rootUri: null, capabilities: {} });
    await client.notify("initialized", {});
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
    await client.stop();
  }));

test("--stdio is accepted, as some clients add it", () =>
  session({ args: ["lsp", "--stdio"] }, async (client) => {
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

test("Unknown requests are refused, unknown notifications ignored", () =>
  session({}, async (client) => {
    await assert.rejects(client.request("picket/noSuchThing", {}), refused(-32601));
    await assert.rejects(client.request("$/noSuchThing", {}), refused(-32601));
    await client.notify("picket/noSuchThing", {});
    await client.notify("$/noSuchThing", {});
    await client.notify("$/setTrace", { value: "verbose" });
    await client.notify("$/cancelRequest", { id: 4711 });
    await client.notify("window/workDoneProgress/cancel", { token: "never heard of" });
    await assert.rejects(client.request("textDocument/hover", { textDocument: 7 }), refused(-32602));
    await assert.rejects(client.command("picket.noSuchCommand"), (error) => error.code < 0);
    await assert.rejects(client.command("picket.check", 1, 2, 3), (error) => error.code < 0);
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

test("Notifications about documents that are not open are ignored", () =>
  session({}, async (client) => {
    const uri = client.uri("never.c");
    await client.notify("textDocument/didChange", {
      textDocument: { uri, version: 3 },
      contentChanges: [{ text: Buggy }],
    });
    await client.notify("textDocument/didSave", { textDocument: { uri } });
    await client.notify("textDocument/didClose", { textDocument: { uri } });
    assert.deepEqual((await client.request("textDocument/codeLens", { textDocument: { uri } })) ?? [], []);
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

test("Requests before initialize are refused", () =>
  server({}, async (client) => {
    await assert.rejects(client.request("picket/models", {}), refused(-32002));
    await initialize(client);
    await assert.rejects(
      client.request("initialize", { processId: null, capabilities: {}, rootUri: null }),
      refused(-32600),
    );
    await client.stop();
  }));

test("Requests after shutdown are refused, and exit is then a success", () =>
  server({}, async (client) => {
    await initialize(client);
    await client.request("shutdown");
    await assert.rejects(client.request("picket/models", {}), refused(-32600));
    await client.notify("exit");
    assert.deepEqual(await client.exited(), { code: 0, signal: null });
  }));

test("Exit without shutdown is a failure", () =>
  server({}, async (client) => {
    await initialize(client);
    await client.notify("exit");
    assert.deepEqual(await client.exited(), { code: 1, signal: null });
  }));

test("Exit before initialize is a failure", () =>
  server({}, async (client) => {
    await client.notify("exit");
    assert.deepEqual(await client.exited(), { code: 1, signal: null });
  }));

test("Requests are answered while files are checked", () =>
  session({}, async (client) => {
    const uris = [];
    for (let index = 0; index < 4; ++index)
      uris.push(await client.open(`slow${index}.c`, `${Endless}int number${index};\n`));
    await client.checking(uris[0]);
    for (const uri of uris) {
      await client.request("textDocument/codeLens", { textDocument: { uri } });
      await client.request("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
      await client.request("picket/status", { uri });
    }
    assert.equal(
      (await client.request("picket/status", { uri: uris[0] })).state,
      "checking",
      "answered before the check ended",
    );
  }));

test("Shutdown in the middle of a check ends the check", () =>
  server({}, async (client) => {
    await initialize(client);
    await client.checking(await client.open("slow.c", Endless));
    await client.stop();
  }));

test("The end of input ends the server and its workers", () =>
  server({}, async (client) => {
    await initialize(client);
    await client.checking(await client.open("slow.c", Endless));
    const children = descendants(client.process.pid);
    assert.notEqual(children.length, 0);
    client.process.stdin.end();
    assert.deepEqual(await client.exited(), { code: 1, signal: null });
    await eventually("the workers to end", () => !children.some(alive));
  }));

test("A killed server leaves no workers behind", () =>
  server({}, async (client) => {
    await initialize(client);
    await client.checking(await client.open("slow.c", Endless));
    const children = descendants(client.process.pid);
    assert.notEqual(children.length, 0);
    client.process.kill("SIGKILL");
    await client.exited();
    await eventually("the workers to end", () => !children.some(alive));
  }));

test("The server ends when the editor has gone without a word", () =>
  server({}, async (client) => {
    const editor = spawn("sleep", ["1000"]);
    await initialize(client, editor.pid);
    await client.checking(await client.open("slow.c", Endless));
    const children = descendants(client.process.pid);
    editor.kill("SIGKILL");
    const { signal } = await client.exited(); // the input is still open
    assert.equal(signal, null);
    await eventually("the workers to end", () => !children.some(alive));
  }));

test("A cancelled request is answered as cancelled", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", Endless);
    await client.checking(uri);
    const cancel = new CancellationTokenSource();
    const reply = client.request(
      "workspace/executeCommand",
      { command: "picket.check", arguments: [{ uri }] },
      cancel.token,
    );
    cancel.cancel();
    await assert.rejects(reply, refused(-32800));
  }));

// A client of `picket lsp` over stdio, for tests. It keeps every message the server sends, in order; a test waits
// for a state of that record, never for time to pass. The program under test is $PICKET.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
export { example } from "./programs.mjs";
import { alive, descendants, memoryOf, ticksOf, workersOf } from "./processes.mjs";

export const Picket = process.env.PICKET ?? "picket";
/** Under sanitizers neither time nor memory is what it is otherwise. */
export const Unmeasured = Boolean(process.env.PICKET_UNMEASURED);
/** A wait that takes longer has failed. Generous: tests run beside others on small machines. */
export const Patience = 600_000;

/** What an editor with everything offers. */
export const FullCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true, showDocument: { support: true } },
  workspace: {
    applyEdit: true,
    configuration: false,
    workspaceFolders: true,
    codeLens: { refreshSupport: true },
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true },
    codeLens: {},
    hover: { contentFormat: ["markdown", "plaintext"] },
  },
};

/** Tells a listener of every message before the connection deals with it. */
class ObservedReader extends StreamMessageReader {
  constructor(stream, observe) {
    super(stream);
    this.observe = observe;
  }
  listen(callback) {
    return super.listen((message) => {
      this.observe(message);
      callback(message);
    });
  }
}

export class Client {
  /** A running server that has not been spoken to. */
  constructor({ args = ["lsp"], env = {}, cwd } = {}) {
    this.directory = mkdtempSync(path.join(tmpdir(), "picket-test-"));
    this.temporary = mkdtempSync(path.join(tmpdir(), "picket-test-")); // for the server's own files
    this.messages = []; // all of the server's, in order of arrival
    this.complaints = []; // what the connection found wrong with them
    this.documents = new Map(); // uri -> { version, text }
    this.kept = []; // files that a server may leave behind
    this.settings = {}; // what workspace/configuration is answered with
    this.waiting = new Set();
    this.stderr = "";
    this.exit = undefined; // { code, signal } once it is over
    this.process = spawn(Picket, args, {
      cwd: cwd ?? this.directory,
      env: { ...process.env, TMPDIR: this.temporary, ...env },
    });
    this.process.on("error", (error) => (this.stderr += `cannot start: ${error.message}\n`));
    this.process.stdin.on("error", () => {}); // a server that has gone: the tests look at its exit
    this.process.stderr.on("data", (data) => (this.stderr += data));
    this.process.on("close", (code, signal) => {
      this.exit = { code, signal };
      this.wake();
    });
    const reader = new ObservedReader(this.process.stdout, (message) => {
      this.messages.push({ ...message, at: performance.now() });
      this.wake();
    });
    const complain = (text) => this.complaints.push(text);
    this.connection = createProtocolConnection(reader, new StreamMessageWriter(this.process.stdin), {
      error: complain,
      warn: complain,
      info() {},
      log() {},
    });
    this.connection.onError(([error]) => this.exit ?? complain(String(error)));
    this.connection.onUnhandledNotification(() => {});
    this.connection.onRequest((method, params) => this.answer(method, params));
    this.connection.listen();
  }

  /** What the server asks of an editor. */
  answer(method, params) {
    if (method === "workspace/configuration")
      return params.items.map((item) => (item.section ? this.settings[item.section] : this.settings) ?? null);
    if (method === "window/showDocument") return { success: true };
    if (method === "workspace/applyEdit") return { applied: true };
    return null;
  }

  static async start({
    capabilities = FullCapabilities,
    initializationOptions,
    processId = process.pid,
    ...options
  } = {}) {
    const client = new Client(options);
    try {
      await client.initialize({ capabilities, initializationOptions: patient(initializationOptions), processId });
    } catch (error) {
      await client.kill();
      throw new Error(`initialize: ${error.message}\n${client.stderr}`);
    }
    return client;
  }

  async initialize({ capabilities, initializationOptions, processId }) {
    const folder = { uri: pathToFileURL(this.directory).href, name: "test" };
    this.initialized = await this.connection.sendRequest("initialize", {
      processId,
      capabilities,
      initializationOptions,
      rootUri: folder.uri,
      workspaceFolders: [folder],
      clientInfo: { name: "picket tests" },
    });
    await this.notify("initialized", {});
  }

  // What is not there must not be handed on: the connection would count it as one more parameter.
  request(method, ...parameters) {
    return this.connection.sendRequest(method, ...parameters);
  }
  notify(method, ...parameters) {
    return this.connection.sendNotification(method, ...parameters);
  }
  command(name, ...args) {
    return this.request("workspace/executeCommand", { command: name, arguments: args });
  }
  /** Bytes as they are, for what a proper client never sends. */
  raw(bytes) {
    this.process.stdin.write(bytes);
  }

  // Documents.

  uri(name) {
    return pathToFileURL(path.join(this.directory, name)).href;
  }
  write(name, text) {
    writeFileSync(path.join(this.directory, name), text);
    return this.uri(name);
  }
  /** Opens a document that need not be on disk. */
  async open(name, text, version = 1) {
    const uri = this.uri(name);
    this.documents.set(uri, { version, text });
    await this.notify("textDocument/didOpen", { textDocument: { uri, languageId: "c", version, text } });
    return uri;
  }
  /** The whole text, or the given incremental changes that lead to it. */
  async edit(uri, text, contentChanges = [{ text }]) {
    const version = this.documents.get(uri).version + 1;
    this.documents.set(uri, { version, text });
    await this.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
    return version;
  }
  save(uri) {
    return this.notify("textDocument/didSave", { textDocument: { uri } });
  }
  async editAndSave(uri, text) {
    const version = await this.edit(uri, text);
    await this.save(uri);
    return version;
  }
  close(uri) {
    this.documents.delete(uri);
    return this.notify("textDocument/didClose", { textDocument: { uri } });
  }

  // The record.

  notifications(method) {
    return this.messages.filter((message) => message.method === method && message.id === undefined);
  }
  serverRequests(method) {
    return this.messages.filter((message) => message.method === method && message.id !== undefined);
  }
  published(uri) {
    return this.notifications("textDocument/publishDiagnostics").filter((message) => message.params.uri === uri);
  }
  /** The diagnostics an editor shows now. */
  shown(uri) {
    return this.published(uri).at(-1)?.params.diagnostics ?? [];
  }
  statuses(uri) {
    return this.notifications("picket/status")
      .map((message) => message.params)
      .filter((status) => status.uri === uri);
  }
  status(uri) {
    return this.statuses(uri).at(-1);
  }
  progress(token) {
    return this.notifications("$/progress")
      .map((message) => message.params)
      .filter((params) => token === undefined || params.token === token);
  }

  wake() {
    for (const look of [...this.waiting]) look();
  }
  /** Waits until `state()` is truthy and returns it; it is looked at again whenever the server says something. */
  until(what, state, { limit = Patience, overAfterExit = true } = {}) {
    return new Promise((resolve, reject) => {
      const finish = (settle, value) => {
        clearTimeout(timer);
        this.waiting.delete(look);
        settle(value);
      };
      const fail = (why) => finish(reject, new Error(`${why} while waiting for ${what}\n${this.describe()}`));
      const look = () => {
        let value;
        try {
          value = state();
        } catch (error) {
          return finish(reject, error);
        }
        if (value) finish(resolve, value);
        else if (this.exit && overAfterExit) fail(`the server ended (${JSON.stringify(this.exit)})`);
      };
      const timer = setTimeout(() => fail(`${limit} ms went by`), limit);
      this.waiting.add(look);
      look();
    });
  }
  /** Waits for the answer about the document as it is now, and returns the diagnostics shown then. */
  async checked(uri, limit = Patience) {
    const { version } = this.documents.get(uri);
    await this.until(
      `the result of ${path.basename(uri)} version ${version}`,
      () =>
        this.status(uri)?.version === version &&
        isFinal(this.status(uri)) &&
        this.published(uri).at(-1)?.params.version === version,
      { limit },
    );
    return this.shown(uri);
  }
  /** Waits until the document is being checked. */
  checking(uri) {
    const { version } = this.documents.get(uri);
    return this.until(`a check of ${path.basename(uri)} version ${version} to run`, () =>
      this.statuses(uri).some((status) => status.version === version && status.state === "checking"),
    );
  }
  /** For messages of failed waits: what was said last. */
  describe() {
    const said = this.messages
      .slice(-12)
      .map((message) => JSON.stringify(message).slice(0, 300))
      .join("\n");
    return `last messages:\n${said}\ncomplaints: ${this.complaints.join("; ")}\nstderr: ${this.stderr.slice(-2000)}`;
  }

  // The end.

  exited(limit = Patience) {
    return this.until("the server to end", () => this.exit, { limit });
  }
  /** Shutdown and exit; the server must leave in peace and take its children with it. */
  async stop() {
    const children = descendants(this.process.pid);
    await this.request("shutdown");
    await this.notify("exit");
    const exit = await this.exited();
    assert.deepEqual(exit, { code: 0, signal: null }, this.describe());
    await eventually("the server's children to end", () => !children.some(alive));
    const files = readdirSync(this.temporary, { recursive: true })
      .map((name) => path.join(this.temporary, name))
      .filter((name) => statSync(name).isFile());
    assert.deepEqual(files.sort(), this.kept.sort(), "files that are left");
    assert.deepEqual(this.complaints, []);
    this.cleanUp();
  }
  /** The end of a test that failed, or that is about servers without an end. */
  async kill() {
    if (!this.exit && this.process.pid) {
      const left = [this.process.pid, ...descendants(this.process.pid)];
      for (const pid of left.filter(alive)) process.kill(pid, "SIGKILL");
      await this.exited();
    }
    this.cleanUp();
  }
  cleanUp() {
    this.connection.dispose();
    for (const directory of [this.directory, this.temporary]) rmSync(directory, { recursive: true, force: true });
  }
  /** Resident memory of the server itself, in megabytes. */
  memory() {
    return memoryOf(this.process.pid);
  }
  isSmall() {
    return Unmeasured || this.memory() < 100;
  }
}

/** On a busy machine a check may take longer than the default time limit. Tests of limits set their own. */
function patient(options = {}) {
  return typeof options === "object" && options !== null && !Array.isArray(options)
    ? { timeout: "600s", ...options }
    : options;
}

/** States in which nothing more comes for that version of the document. */
export function isFinal(status) {
  return ["done", "quiet", "cancelled", "failed"].includes(status.state);
}

/** Runs a test with a server of its own, which must end well afterwards. */
export async function session(options, body) {
  const client = await Client.start(options);
  try {
    await body(client);
    await client.stop();
  } finally {
    await client.kill();
  }
}

/** For states of the system that nobody announces. */
export async function eventually(what, state, limit = Patience) {
  const end = performance.now() + limit;
  while (!(await state())) {
    assert(performance.now() < end, `${limit} ms went by while waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The worker that is at work: the first to use the processor from now on. Others may have used it more before. */
export async function workerAtWork(client) {
  const before = new Map();
  let working;
  await eventually("a worker at work", () => {
    for (const pid of workersOf(client.process.pid)) {
      if (!before.has(pid)) before.set(pid, ticksOf(pid));
      else if (ticksOf(pid) > before.get(pid) + 2) working = pid;
    }
    return working !== undefined;
  });
  return working;
}

// Finds the language server, starts it, watches it, and restarts it.
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  LSPErrorCodes,
  ResponseError,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { Backoff } from "./backoff";
import { serverCommands, type ServerCommand } from "./protocol";
import {
  installCommand,
  lookUpServer,
  problemOfCrashes,
  problemOfLookup,
  problemOfProgram,
  type Advice,
  type Problem,
} from "./serverLookup";
import type { ServerState } from "./statusText";

const buttons: Record<Advice, string> = {
  install: "Copy Install Command",
  choose: "Choose Program...",
  settings: "Open Settings",
  output: "Show Output",
  restart: "Restart Server",
};

const stopped: number[] = [
  LSPErrorCodes.RequestCancelled,
  LSPErrorCodes.ServerCancelled,
  LSPErrorCodes.ContentModified,
];

/// Asks a program for its version. Resolves to what is wrong with it, or to undefined.
function tryProgram(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ["--version"], { timeout: 20_000 }, (error, _stdout, stderr) =>
      resolve(error ? stderr || error.message : undefined),
    );
  });
}

/// The settings where the program's path is set, or would be: a remote window has it neither with the user's nor with the
/// workspace's unless it was set there.
async function openServerSetting(): Promise<void> {
  const { workspaceValue, workspaceFolderValue } =
    vscode.workspace.getConfiguration("picket").inspect<string>("server.path") ?? {};
  const place = (workspaceValue ?? workspaceFolderValue) ? "Workspace" : vscode.env.remoteName ? "Remote" : "";
  await vscode.commands.executeCommand(`workbench.action.open${place}Settings`, { query: "@id:picket.server.path" });
}

export class Server {
  private client: LanguageClient | undefined;
  private current: ServerState = "stopped";
  private readonly backoff = new Backoff();
  private waking: (() => void) | undefined; // ends a wait before the next start
  private generation = 0; // of starts: what belongs to an older one is dropped
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly output: vscode.LogOutputChannel,
    private readonly listen: (client: LanguageClient) => void,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  private setState(state: ServerState): void {
    if (this.current === state) return;
    this.current = state;
    this.changed.fire(state);
  }

  /// Undefined: the server is not running.
  async request(method: string, params: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    if (this.client?.state !== State.Running) return undefined;
    // A token that is not there must not be handed on: it would count as one more parameter.
    return token ? await this.client.sendRequest(method, params, token) : await this.client.sendRequest(method, params);
  }

  /// Runs one of the server's commands. An error is shown with the server's message, except for a check that was cancelled.
  async command(command: ServerCommand, argument?: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    try {
      return await this.request(
        "workspace/executeCommand",
        { command, arguments: argument === undefined ? [] : [argument] },
        token,
      );
    } catch (error) {
      if (error instanceof ResponseError && stopped.includes(error.code)) return undefined;
      void vscode.window.showInformationMessage(`Picket: ${error instanceof Error ? error.message : String(error)}.`);
      return undefined;
    }
  }

  async start(): Promise<void> {
    const generation = ++this.generation;
    this.setState("starting");
    const problem = await this.tryToStart(generation);
    if (!problem || generation !== this.generation) return;
    this.setState("stopped");
    this.output.error(problem.message);
    await this.tell(problem);
  }

  private async tryToStart(generation: number): Promise<Problem | undefined> {
    const lookup = lookUpServer({
      setting: vscode.workspace.getConfiguration("picket").get("server.path", ""),
      bundled: this.context.asAbsolutePath("bin/picket"),
      pathVariable: process.env["PATH"] ?? "",
    });
    if (!lookup.found) return problemOfLookup(lookup);
    this.output.info(`Server: ${lookup.program} (from the ${lookup.from})`);
    const wrong = await tryProgram(lookup.program);
    if (wrong !== undefined) {
      this.output.error(wrong.trim());
      return problemOfProgram(lookup.program, wrong);
    }
    if (generation !== this.generation) return undefined;
    // No `transport`: standard input and output is what is used without it.
    const client = new LanguageClient(
      "picket",
      "Picket",
      { command: lookup.program, args: ["lsp"] },
      this.options(generation),
    );
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (generation !== this.generation) return;
      if (newState === State.Running) this.setState("running");
      else if (newState === State.Starting) this.setState("starting");
    });
    this.listen(client);
    try {
      await client.start();
      return undefined;
    } catch (error) {
      return problemOfProgram(lookup.program, error instanceof Error ? error.message : String(error));
    }
  }

  private options(generation: number): LanguageClientOptions {
    let wasRunning = false;
    const errorHandler: ErrorHandler = {
      error: () => ({ action: ErrorAction.Continue, handled: true }), // the end of the connection is what matters
      closed: async () => {
        wasRunning ||= this.current === "running";
        // One that never ran will not run the next time; start() tells why.
        if (!wasRunning || generation !== this.generation) return { action: CloseAction.DoNotRestart, handled: true };
        const delay = this.backoff.crashed();
        if (delay === undefined) {
          this.setState("stopped");
          void this.tell(problemOfCrashes(this.backoff.count));
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        this.setState("starting");
        this.output.warn(
          `The server ended unexpectedly. It is started again${delay > 0 ? ` in ${delay / 1000} s` : ""}.`,
        );
        await this.wait(delay);
        return generation === this.generation
          ? { action: CloseAction.Restart, handled: true }
          : { action: CloseAction.DoNotRestart, handled: true };
      },
    };
    return {
      documentSelector: [
        { scheme: "file", language: "c" },
        { scheme: "file", language: "cpp", pattern: "**/*.h" }, // what VS Code takes headers for
        { scheme: "file", pattern: "**/*.litmus" },
      ],
      diagnosticCollectionName: "picket",
      outputChannel: this.output,
      initializationOptions: () => ({ ...vscode.workspace.getConfiguration("picket"), clientCommands: serverCommands }),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the server reads what is pushed, from every editor
      synchronize: { configurationSection: "picket" },
      errorHandler,
      initializationFailedHandler: () => false,
    };
  }

  private wait(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.waking = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async stop(): Promise<void> {
    ++this.generation;
    this.waking?.();
    const { client } = this;
    this.client = undefined;
    this.setState("stopped");
    if (client)
      await client
        .dispose(5000)
        .catch((error: unknown) => this.output.warn(`The server did not end well: ${String(error)}`));
  }

  async restart(): Promise<void> {
    this.backoff.reset();
    await this.stop();
    await this.start();
  }

  private async tell(problem: Problem): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(problem.message, ...problem.advice.map((one) => buttons[one]));
    switch (problem.advice.find((one) => buttons[one] === chosen)) {
      case "install":
        await vscode.env.clipboard.writeText(installCommand);
        void vscode.window.showInformationMessage(`Copied: ${installCommand}`);
        return;
      case "choose":
        return this.chooseProgram();
      case "settings":
        return openServerSetting();
      case "output":
        this.output.show();
        return;
      case "restart":
        return this.restart();
    }
  }

  private async chooseProgram(): Promise<void> {
    const [chosen] = (await vscode.window.showOpenDialog({ title: "The picket program", canSelectMany: false })) ?? [];
    // The changed setting starts the server.
    if (chosen)
      await vscode.workspace
        .getConfiguration("picket")
        .update("server.path", chosen.fsPath, vscode.ConfigurationTarget.Global);
  }
}

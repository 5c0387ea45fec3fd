// The entry point of the extension: creates its parts and connects them.
import * as vscode from "vscode";
import { openExample } from "./examples";
import { Explanations } from "./explanations";
import { Panels } from "./panels";
import {
  CounterexampleRequest,
  FixesRequest,
  ModelsRequest,
  namedModels,
  readExplanation,
  readFixes,
  readHints,
  readModels,
  readStatus,
  readTarget,
  StatusNotification,
  type ServerCommand,
  type Status,
} from "./protocol";
import { Server } from "./server";
import { activeCFile, StatusBar } from "./statusBar";
import { learnTitles, walkthroughSteps, type MenuAction } from "./statusText";

let running: Server | undefined;

const walkthrough = "picket.picket#getStarted";

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("Picket", { log: true });
  const statuses = new Map<string, Status>(); // by URI
  const statusBar = new StatusBar(
    () => server.state,
    (uri) => statuses.get(uri),
  );
  const explanations = new Explanations();
  const panels = new Panels({
    extensionUri: context.extensionUri,
    output,
    status: (uri) => statuses.get(uri),
    counterexample: (uri, model) => server.request(CounterexampleRequest, { uri, model }),
    fixes: async (uri) => readFixes(await server.request(FixesRequest, { uri })),
    applyFix: async (uri, fix) => {
      await server.command("picket.addFences", { uri, fix });
    },
  });
  let offered = "";
  const offerCounterexamples = (): void => {
    // Paths: in a remote window the workbench has other addresses than the extension.
    const files = [...statuses.values()]
      .filter((one) => one.counterexamples.length > 0)
      .map((one) => vscode.Uri.parse(one.uri).path);
    if (files.join() === offered) return; // a check that runs says a lot
    offered = files.join();
    void vscode.commands.executeCommand("setContext", "picket.filesWithCounterexample", files);
  };
  /// The target of a command: the arguments of the code lens, or the active file.
  const targetOf = (args: readonly unknown[]): { uri: string; model?: string } | undefined => {
    const file = statusBar.file?.toString();
    const target = readTarget(args) ?? (file === undefined ? undefined : { uri: file });
    if (!target) void vscode.window.showInformationMessage("Picket: open a C file first.");
    return target && { ...target, uri: vscode.Uri.parse(target.uri).toString() };
  };
  const showCounterexample = (...args: unknown[]): void => {
    const target = targetOf(args);
    if (!target) return;
    if (!statuses.get(target.uri)?.counterexamples.length)
      return void vscode.window.showInformationMessage("Picket: there is no counterexample for this file.");
    panels.show(vscode.Uri.parse(target.uri), target.model);
  };

  const news = (params: unknown): void => {
    const status = readStatus(params);
    if (!status) return output.warn(`A status that cannot be read: ${JSON.stringify(params)}`);
    // VS Code writes addresses in its own way; everything here goes by that.
    const uri = vscode.Uri.parse(status.uri).toString();
    noteForWalkthrough(statuses.get(uri), status);
    statuses.set(uri, { ...status, uri });
    offerCounterexamples();
    statusBar.update();
    panels.statusChanged(uri);
  };
  const server = new Server(context, output, (client) => client.onNotification(StatusNotification, news));
  running = server;

  const ask = async (
    command: ServerCommand,
    args: readonly unknown[],
    more: object = {},
    token?: vscode.CancellationToken,
  ): Promise<unknown> => {
    const target = targetOf(args);
    if (!target) return undefined;
    if (server.state !== "running") return void vscode.window.showWarningMessage("Picket: the server is not running.");
    return server.command(command, { ...target, ...more }, token);
  };
  /// The server searches for fences, if it has not yet, and sends the edit to the editor. If there is no fix, its message says why.
  const addFences = (...args: unknown[]): Thenable<unknown> =>
    withProgress("looking for fences", (token) => ask("picket.addFences", args, {}, token));
  const relax = (...args: unknown[]): Thenable<void> =>
    withProgress("looking for fences that are not needed", async (token) => {
      const hints = readHints(await ask("picket.relax", args, {}, token));
      if (!hints) return;
      const { count, reason } = hints;
      const found = `${count === 1 ? "1 fence or memory order" : `${count} fences and memory orders`} can be removed or weakened; they are marked`;
      void vscode.window.showInformationMessage(`Picket: ${count > 0 ? found : reason}.`);
    });
  const explain = async (...args: unknown[]): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    const here =
      editor && args.length === 0
        ? { position: { line: editor.selection.active.line, character: editor.selection.active.character } }
        : {};
    const text = readExplanation(await ask("picket.explain", args, here));
    if (text !== undefined) await explanations.show(text);
  };
  const actions: Record<MenuAction, (...args: unknown[]) => unknown> = {
    check: (...args) => ask("picket.check", args),
    checkAll: (...args) => ask("picket.checkAllModels", args),
    cancel: (...args) => ask("picket.cancel", args),
    counterexample: showCounterexample,
    fences: addFences,
    models: () => chooseModels(server),
    restart: () => server.restart(),
    output: () => output.show(),
    settings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:picket.picket"),
  };
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    "picket.check": actions.check,
    "picket.checkAllModels": actions.checkAll,
    "picket.showCounterexample": actions.counterexample,
    "picket.explain": explain,
    "picket.addFences": actions.fences,
    "picket.relax": relax,
    "picket.cancel": actions.cancel,
    "picket.restartWorker": () =>
      server.state === "running" ? server.command("picket.restartWorker") : server.restart(),
    "picket.restartServer": actions.restart,
    "picket.chooseModels": actions.models,
    "picket.showOutput": actions.output,
    "picket.showMenu": async () => {
      const action = await statusBar.menu();
      if (action) await actions[action]();
    },
    "picket.openExample": (name) => openExample(context, typeof name === "string" ? name : undefined),
    "picket.getStarted": () => vscode.commands.executeCommand("workbench.action.openWalkthrough", walkthrough, false),
  };
  for (const [name, action] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(name, action));

  context.subscriptions.push(
    output,
    statusBar,
    panels,
    explanations,
    server.onDidChangeState((state) => {
      if (state !== "running") statuses.clear();
      else
        void server.request(ModelsRequest, {}).then(
          (answer) => learnTitles(readModels(answer) ?? []),
          () => undefined,
        );
      offerCounterexamples();
      statusBar.update();
    }),
    vscode.window.onDidChangeActiveTextEditor(() => statusBar.update()),
    vscode.window.onDidChangeVisibleTextEditors(() => statusBar.update()),
    vscode.workspace.onDidCloseTextDocument((document) => statuses.delete(document.uri.toString())),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("picket.server.path")) void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // Settings of the workspace count from now on.
      const setting = vscode.workspace.getConfiguration("picket").inspect<string>("server.path");
      if (setting?.workspaceValue || setting?.workspaceFolderValue) void server.restart();
    }),
  );
  statusBar.update();
  // Not awaited: commands are available immediately, and a message about a missing server may stay open for long.
  void server.start();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

/// Shown only if it takes a while.
function withProgress<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Thenable<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Picket: ${title}`, cancellable: true },
    (_, token) => work(token),
  );
}

/// Marks steps of the walkthrough as completed. Context keys are set only for a moment: a key that is already set when VS
/// Code reads the walkthrough would never count.
function noteForWalkthrough(before: Status | undefined, now: Status): void {
  for (const key of walkthroughSteps(before, now))
    for (const value of [true, false]) void vscode.commands.executeCommand("setContext", key, value);
}

async function chooseModels(server: Server): Promise<void> {
  const scope = activeCFile()?.uri;
  const settings = vscode.workspace.getConfiguration("picket", scope);
  const known =
    readModels(await server.request(ModelsRequest, {})) ??
    namedModels(settings.inspect<string[]>("models")?.defaultValue ?? []);
  const now = settings.get<string[]>("models", []);
  const chosen = await vscode.window.showQuickPick(
    known.map(({ id, name, description }) => ({ id, label: name, description, picked: now.includes(id) })),
    { title: "Picket: memory models", placeHolder: "Check under these models", canPickMany: true },
  );
  if (!chosen || chosen.length === 0) return;
  const folder = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  await settings.update(
    "models",
    chosen.map(({ id }) => id),
    folder,
  );
}

// The counterexample panel: the page of counterexample-page/ beside the editor, and what goes between the two.
import { randomBytes } from "node:crypto";
import path from "node:path";
import * as vscode from "vscode";
import { type Counterexample, pathOf, readCounterexample, removesLines, utf16Column } from "./counterexample";
import { beginAt, bytesOf, exportName, type ExportFormat, readFromPage, type ToPage } from "./pageMessages";
import { panelHtml } from "./panelHtml";
import type { Status } from "./protocol";
import { StepMarks } from "./stepMarks";

export const viewType = "picket.counterexample";

export interface PanelHost {
  readonly extensionUri: vscode.Uri;
  readonly output: vscode.LogOutputChannel;
  status(uri: string): Status | undefined;
  /// The answer to picket/counterexample: null if there is none.
  counterexample(uri: string, model: string): Promise<unknown>;
}

export function panelOptions(extensionUri: vscode.Uri): vscode.WebviewOptions & vscode.WebviewPanelOptions {
  return {
    enableScripts: true, enableForms: false, retainContextWhenHidden: true,
    localResourceRoots: [vscode.Uri.joinPath(extensionUri, "media", "generated")],
  };
}

export class CounterexamplePanel {
  private readonly marks = new StepMarks();
  private all: { data: unknown; read: Counterexample }[] = [];
  private index = 0;
  private step = 0;
  private ready = false;
  private stale = false;
  private loadedFor = ""; // which result is shown
  private loading = 0;
  private readonly path: string;

  constructor(
    private readonly host: PanelHost,
    readonly panel: vscode.WebviewPanel,
    readonly uri: vscode.Uri,
    private wanted?: string, // the model to begin with
  ) {
    this.path = uri.fsPath;
    panel.title = `Counterexample: ${path.basename(this.path)}`;
    panel.iconPath = vscode.Uri.joinPath(host.extensionUri, "media", "icon.png");
    panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message));
    const address = (name: string) =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(host.extensionUri, "media", "generated", name)).toString();
    panel.webview.html = panelHtml({
      nonce: randomBytes(16).toString("hex"), uri: uri.toString(),
      style: address("page.css"), frame: address("frame.js"), page: address("page.js"),
    });
  }

  private send(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  private receive(raw: unknown): void {
    const message = readFromPage(raw);
    switch (message?.type) {
      case undefined: return this.host.output.warn(`The panel sent something unknown: ${JSON.stringify(raw).slice(0, 200)}`);
      case "ready":
        this.ready = true;
        if (this.all.length > 0) this.sendAll();
        else void this.refresh();
        return;
      case "at": return this.moveTo(message.index, message.step);
      case "select": return void this.goTo(message.file, message.line, message.column);
      case "model": return this.goToStep();
      case "export": return void this.export(message.format, message.content);
    }
  }

  private get shown(): Counterexample | undefined {
    return this.all[this.index]?.read;
  }

  /// Gets the counterexamples of the last check, if the page does not show them already.
  async refresh(): Promise<void> {
    const status = this.host.status(this.uri.toString());
    if (!this.ready || status?.state !== "done") return;
    if (status.counterexamples.length === 0) {
      // Nothing to show any more. What is shown stays, and says that it is old.
      if (this.all.length > 0) this.markStale();
      this.marks.show(undefined, this.path);
      return;
    }
    const key = `${status.version} ${status.counterexamples.join()}`;
    if (key === this.loadedFor && !this.stale) return;
    const loading = ++this.loading;
    try {
      const replies = await Promise.all(status.counterexamples.map((model) => this.host.counterexample(this.uri.toString(), model)));
      if (loading !== this.loading) return; // a newer one is on its way
      const all = replies.flatMap((data) => {
        const read = readCounterexample(data);
        return read ? [{ data, read }] : [];
      });
      if (all.length === 0) return;
      const begin = beginAt(all.map(({ read }) => read.model), this.wanted, this.shown?.model);
      if (begin !== undefined) this.send({ type: "begin", index: begin });
      this.wanted = undefined;
      this.all = all;
      this.index = begin ?? 0;
      this.loadedFor = key;
      this.stale = false;
      this.sendAll();
    } catch (error) {
      this.host.output.error(`The counterexample could not be fetched: ${String(error)}`);
    }
  }

  private sendAll(): void {
    this.marks.show(this.shown, this.path);
    this.send({ type: "counterexample", data: this.all.map(({ data }) => data) });
    if (this.stale) this.send({ type: "stale" });
  }

  /// Goes to the counterexample of another model.
  prefer(model: string | undefined): void {
    if (model === undefined || model === this.shown?.model) return;
    this.wanted = model;
    this.loadedFor = "";
    void this.refresh();
  }

  private moveTo(index: number, step: number): void {
    if (index !== this.index && this.all[index]) {
      this.index = index;
      this.marks.show(this.shown, this.path);
    }
    this.step = step;
    if (this.shown) this.marks.moveTo(this.shown, step, this.path);
  }

  private goToStep(): void {
    const event = this.shown?.events[this.shown.steps[this.step]?.event ?? -1];
    if (event) void this.goTo(event.file, event.line, event.column);
  }

  /// The user went to a step: so does the cursor. The focus stays in the panel, where the next key is pressed.
  private async goTo(file: string, line: number, column: number): Promise<void> {
    if (!this.shown || line < 1) return;
    const target = vscode.Uri.file(pathOf(file, this.shown, this.path));
    try {
      const editor = this.editorOf(target) ?? await vscode.window.showTextDocument(target, { viewColumn: this.columnForSource(), preserveFocus: true });
      const { document } = editor;
      const number = Math.min(line, document.lineCount) - 1;
      const at = new vscode.Position(number, utf16Column(document.lineAt(number).text, column));
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      this.marks.moveTo(this.shown, this.step, this.path);
    } catch (error) {
      this.host.output.warn(`${target.fsPath} cannot be shown: ${String(error)}`);
    }
  }

  private editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find((editor) => editor.document.uri.fsPath === uri.fsPath);
  }

  private columnForSource(): vscode.ViewColumn {
    return this.panel.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
  }

  /// Somebody moved the cursor in an editor.
  cursorAt(document: vscode.TextDocument, line: number): void {
    if (this.panel.visible && this.marks.concerns(document.uri.fsPath)) this.send({ type: "reveal", file: document.uri.fsPath, line: line + 1 });
  }

  edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.fsPath !== this.path && !this.marks.concerns(document.uri.fsPath)) return;
    this.markStale();
    if (removesLines(contentChanges)) this.marks.show(undefined, this.path);
  }

  private markStale(): void {
    if (this.all.length === 0) return;
    this.stale = true;
    this.send({ type: "stale" });
  }

  /// Editors came into sight; those of a changed text keep the marks VS Code moves along.
  editorsChanged(editors: readonly vscode.TextEditor[]): void {
    if (!this.stale) this.marks.apply(editors);
  }

  private async export(format: ExportFormat, content: string): Promise<void> {
    if (format === "text") {
      await vscode.env.clipboard.writeText(content);
      return;
    }
    const bytes = bytesOf(format, content);
    if (!bytes) return void vscode.window.showErrorMessage(`Picket: the ${format.toUpperCase()} could not be made.`);
    const name = exportName(this.path, this.shown?.model ?? "trace", format);
    const target = await vscode.window.showSaveDialog({
      title: "Export Counterexample",
      defaultUri: vscode.Uri.file(path.join(path.dirname(this.path), name)),
      filters: { [format.toUpperCase()]: [format] },
    });
    if (!target) return;
    try {
      await vscode.workspace.fs.writeFile(target, bytes);
      const chosen = await vscode.window.showInformationMessage(`Saved as ${path.basename(target.fsPath)}.`, "Open");
      if (chosen) await vscode.commands.executeCommand("vscode.open", target);
    } catch (error) {
      void vscode.window.showErrorMessage(`Picket: ${target.fsPath} could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  dispose(): void {
    this.marks.dispose();
  }
}

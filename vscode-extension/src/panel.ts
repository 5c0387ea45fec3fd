// The counterexample panel: shows the page of counterexample-page/ beside the editor, and relays messages between them.
import { randomBytes } from "node:crypto";
import path from "node:path";
import * as vscode from "vscode";
import { pathOf, removesLines, utf16Column } from "./counterexample";
import { bytesOf, exportName, type FromPage, readFromPage, type ToPage } from "./pageMessages";
import { PanelContents } from "./panelContents";
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
  /// Proved fences of the document as it is now, for the page.
  fixes(uri: string): Promise<unknown[]>;
  applyFix(uri: string, id: string): Promise<void>;
}

export function panelOptions(extensionUri: vscode.Uri): vscode.WebviewOptions & vscode.WebviewPanelOptions {
  return {
    enableScripts: true,
    enableForms: false,
    retainContextWhenHidden: true,
    localResourceRoots: [vscode.Uri.joinPath(extensionUri, "media", "generated")],
  };
}

export class CounterexamplePanel {
  private readonly marks = new StepMarks();
  private readonly contents: PanelContents;
  private ready = false;
  private readonly path: string;

  constructor(
    private readonly host: PanelHost,
    readonly panel: vscode.WebviewPanel,
    readonly uri: vscode.Uri,
    wanted?: string, // the model to begin with
  ) {
    this.contents = new PanelContents(wanted);
    this.path = uri.fsPath;
    panel.title = `Counterexample: ${path.basename(this.path)}`;
    panel.iconPath = vscode.Uri.joinPath(host.extensionUri, "media", "icon.png");
    panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message));
    const address = (name: string) =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(host.extensionUri, "media", "generated", name)).toString();
    panel.webview.html = panelHtml({
      nonce: randomBytes(16).toString("hex"),
      uri: uri.toString(),
      style: address("page.css"),
      frame: address("frame.js"),
      page: address("page.js"),
    });
  }

  private send(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  private receive(raw: unknown): void {
    const message = readFromPage(raw);
    switch (message?.type) {
      case undefined:
        return this.host.output.warn(`The panel sent something unknown: ${JSON.stringify(raw).slice(0, 200)}`);
      case "ready":
        this.ready = true;
        if (this.contents.empty) void this.refresh();
        else this.sendAll();
        return;
      case "at":
        return this.moveTo(message.index, message.step);
      case "select":
        return void this.goTo(message.file, message.line, message.column);
      case "model":
        return this.goToStep();
      case "export":
        return void this.export(message);
      case "applyFix":
        return void this.host.applyFix(this.uri.toString(), message.id);
    }
  }

  /// Gets the counterexamples of the last check, if the page does not show them already.
  async refresh(): Promise<void> {
    const status = this.host.status(this.uri.toString());
    const task = this.ready ? this.contents.task(status) : "nothing";
    if (task === "outdated") {
      this.markOutdated();
      this.marks.show(undefined, this.path);
    }
    if (task !== "load" || !status) return;
    const load = this.contents.beginLoad();
    try {
      const replies = await Promise.all(
        status.counterexamples.map((model) => this.host.counterexample(this.uri.toString(), model)),
      );
      if (this.contents.take(load, status, replies)) this.sendAll(this.contents.beginsHere);
    } catch (error) {
      this.host.output.error(`The counterexample could not be fetched: ${String(error)}`);
    }
  }

  private sendAll(index?: number): void {
    const { data, outdated, shown } = this.contents;
    this.marks.show(shown, this.path);
    this.send({ type: "counterexample", data, ...(index === undefined ? {} : { index }) });
    if (outdated) this.send({ type: "stale" });
    this.contents.forgetFixes();
    void this.refreshFixes();
  }

  /// There may be more fences than the page knows.
  async refreshFixes(): Promise<void> {
    const task = this.contents.fixesTask(this.host.status(this.uri.toString()));
    if (!this.ready || task === undefined) return;
    try {
      const fixes = task === 0 ? [] : await this.host.fixes(this.uri.toString());
      if (!this.contents.outdated) this.send({ type: "fixes", fixes });
    } catch (error) {
      this.host.output.error(`The fixes could not be fetched: ${String(error)}`);
    }
  }

  /// Goes to the counterexample of another model.
  prefer(model: string | undefined): void {
    if (this.contents.prefer(model)) void this.refresh();
  }

  private moveTo(index: number, step: number): void {
    const other = this.contents.moveTo(index, step);
    const { shown } = this.contents;
    if (other) this.marks.show(shown, this.path);
    if (shown) this.marks.moveTo(shown, step, this.path);
  }

  private goToStep(): void {
    const { shown, step } = this.contents;
    const event = shown?.events[shown.steps[step]?.event ?? -1];
    if (event) void this.goTo(event.file, event.line, event.column);
  }

  /// The user went to a step: so does the cursor. The focus stays in the panel, where the next key is pressed.
  private async goTo(file: string, line: number, column: number): Promise<void> {
    const { shown, step } = this.contents;
    if (!shown || line < 1) return;
    const target = vscode.Uri.file(pathOf(file, shown, this.path));
    try {
      const editor =
        this.editorOf(target) ??
        (await vscode.window.showTextDocument(target, { viewColumn: this.columnForSource(), preserveFocus: true }));
      const { document } = editor;
      const number = Math.min(line, document.lineCount) - 1;
      const at = new vscode.Position(number, utf16Column(document.lineAt(number).text, column));
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      this.marks.moveTo(shown, step, this.path);
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
    if (this.panel.visible && this.marks.concerns(document.uri.fsPath))
      this.send({ type: "reveal", file: document.uri.fsPath, line: line + 1 });
  }

  edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.fsPath !== this.path && !this.marks.concerns(document.uri.fsPath)) return;
    this.markOutdated();
    if (removesLines(contentChanges)) this.marks.show(undefined, this.path);
  }

  private markOutdated(): void {
    if (this.contents.empty) return;
    this.contents.markOutdated();
    this.send({ type: "stale" });
  }

  /// Editors came into sight; those of a changed text keep the marks VS Code moves along.
  editorsChanged(editors: readonly vscode.TextEditor[]): void {
    if (!this.contents.outdated) this.marks.apply(editors);
  }

  private async export({ format, content, name: proposed }: Extract<FromPage, { type: "export" }>): Promise<void> {
    if (format === "text") {
      await vscode.env.clipboard.writeText(content);
      return;
    }
    const bytes = bytesOf(format, content);
    if (!bytes) return void vscode.window.showErrorMessage(`Picket: the ${format.toUpperCase()} could not be made.`);
    const name = exportName(proposed, this.path, this.contents.shown?.model ?? "trace", format);
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
      void vscode.window.showErrorMessage(
        `Picket: ${target.fsPath} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  dispose(): void {
    this.marks.dispose();
  }
}

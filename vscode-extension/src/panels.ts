// All counterexample panels: one for each file, made by command or by a reload of the window.
import * as vscode from "vscode";
import { readPanelState } from "./pageMessages";
import { CounterexamplePanel, panelOptions, viewType, type PanelHost } from "./panel";

export class Panels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly open = new Map<string, CounterexamplePanel>(); // by URI
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly host: PanelHost) {
    const each = (action: (panel: CounterexamplePanel) => void) => {
      for (const panel of this.open.values()) action(panel);
    };
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(viewType, this),
      vscode.window.onDidChangeVisibleTextEditors((editors) => each((panel) => panel.editorsChanged(editors))),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.contentChanges.length > 0) each((panel) => panel.edited(event));
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections, kind }) => {
        // Without a kind it was a program that moved it, most likely this one.
        const at = selections[0]?.active;
        if (kind !== undefined && kind !== vscode.TextEditorSelectionChangeKind.Command && at)
          each((panel) => panel.cursorAt(textEditor.document, at.line));
      }),
    ];
  }

  show(uri: vscode.Uri, model: string | undefined): void {
    const there = this.open.get(uri.toString());
    if (there) {
      there.panel.reveal(undefined, false);
      there.prefer(model);
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      viewType,
      "Counterexample",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false },
      panelOptions(this.host.extensionUri),
    );
    this.adopt(panel, uri, model);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const saved = readPanelState(state);
    if (!saved) {
      panel.dispose();
      return;
    }
    const uri = vscode.Uri.parse(saved.uri);
    panel.webview.options = panelOptions(this.host.extensionUri);
    this.adopt(panel, uri, undefined);
    // The server checks files that are open: so is this one, even if no editor shows it.
    try {
      await vscode.workspace.openTextDocument(uri);
    } catch {
      panel.dispose(); // the file is gone
    }
  }

  private adopt(webview: vscode.WebviewPanel, uri: vscode.Uri, model: string | undefined): void {
    const panel = new CounterexamplePanel(this.host, webview, uri, model);
    this.open.set(uri.toString(), panel);
    webview.onDidDispose(() => {
      if (this.open.get(uri.toString()) === panel) this.open.delete(uri.toString());
      panel.dispose();
    });
  }

  /// There is news about a document.
  statusChanged(uri: string): void {
    const panel = this.open.get(uri);
    void panel?.refresh();
    void panel?.refreshFixes();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    for (const panel of this.open.values()) panel.dispose();
  }
}

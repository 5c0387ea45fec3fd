// A finding told in words, as a Markdown document that is not in any file.
import * as vscode from "vscode";

const scheme = "picket-explanation";

export class Explanations implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly uri = vscode.Uri.parse(`${scheme}:Explanation.md`);
  private text = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(text: string): Promise<void> {
    this.text = text;
    this.changed.fire(this.uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", this.uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

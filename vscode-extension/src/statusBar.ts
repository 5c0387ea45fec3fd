// The status bar item: how the active file fared. A click opens its menu.
import * as vscode from "vscode";
import type { Status } from "./protocol";
import { menuEntries, statusText, type MenuAction, type ServerState } from "./statusText";

const backgrounds = {
  none: undefined,
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
} as const;

export function activeCFile(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && isCFile(document) ? document : undefined;
}

function isCFile({ languageId, uri }: vscode.TextDocument): boolean {
  return languageId === "c" && uri.scheme === "file";
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("picket.status", vscode.StatusBarAlignment.Left, 50);
  private last: vscode.Uri | undefined; // the file it speaks of

  constructor(
    private readonly server: () => ServerState,
    private readonly status: (uri: string) => Status | undefined,
  ) {
    this.item.name = "Picket";
    this.item.command = "picket.showMenu";
  }

  /// While the panel has the focus no text editor is active: the file of before stays.
  update(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor) this.last = activeCFile()?.uri;
    else this.last ??= vscode.window.visibleTextEditors.find(({ document }) => isCFile(document))?.document.uri; // after a reload
    if (
      !this.last ||
      vscode.window.visibleTextEditors.every(({ document }) => document.uri.toString() !== this.last?.toString())
    ) {
      this.item.hide();
      return;
    }
    const { text, tooltip, label, severity } = statusText(this.server(), this.status(this.last.toString()));
    const colour = backgrounds[severity];
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label, role: "button" };
    this.item.backgroundColor = colour ? new vscode.ThemeColor(colour) : undefined;
    this.item.show();
  }

  /// The file that is spoken of: commands are about it.
  get file(): vscode.Uri | undefined {
    return activeCFile()?.uri ?? this.last;
  }

  async menu(): Promise<MenuAction | undefined> {
    const status = this.file && this.status(this.file.toString());
    const { text } = statusText(this.server(), status);
    const title = text.replace(/\$\([^)]*\) /, "");
    return (await vscode.window.showQuickPick(menuEntries(this.server(), status), { title }))?.action;
  }

  dispose(): void {
    this.item.dispose();
  }
}

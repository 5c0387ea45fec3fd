// The examples that come with the extension. They are opened as copies, so that they can be edited and looked at again.
import * as vscode from "vscode";

export async function openExample(context: vscode.ExtensionContext, name: string | undefined): Promise<void> {
  const originals = vscode.Uri.joinPath(context.extensionUri, "examples");
  const names = (await vscode.workspace.fs.readDirectory(originals))
    .map(([file]) => file)
    .filter((file) => file.endsWith(".c"))
    .sort();
  const chosen = name !== undefined && names.includes(name) ? name : await choose(originals, names);
  if (chosen === undefined) return;
  const copies = vscode.Uri.joinPath(context.globalStorageUri, "examples");
  await vscode.workspace.fs.createDirectory(copies);
  const copy = vscode.Uri.joinPath(copies, chosen);
  try {
    await vscode.workspace.fs.copy(vscode.Uri.joinPath(originals, chosen), copy, { overwrite: false });
  } catch {
    // It is there already, perhaps edited: it stays as it is.
  }
  await vscode.window.showTextDocument(copy, { preview: false });
}

/// Every example tells its story on its first line.
async function choose(folder: vscode.Uri, names: string[]): Promise<string | undefined> {
  const items = await Promise.all(
    names.map(async (label) => {
      const text = Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, label))).toString("utf8");
      return { label, detail: /^\/\/ (.*)/.exec(text)?.[1] ?? "" };
    }),
  );
  return (await vscode.window.showQuickPick(items, { title: "Picket: Open Example", matchOnDetail: true }))?.label;
}

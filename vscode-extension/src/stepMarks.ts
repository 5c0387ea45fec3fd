// Marks a counterexample in the editor: the numbers of the steps in the gutter and at the end of the lines, and the line
// of the current step.
import * as vscode from "vscode";
import {
  type Counterexample,
  gutterSvg,
  type LineMarks,
  marksOf,
  numbersText,
  placeOfStep,
  stepInWords,
  type StepPlace,
} from "./counterexample";

const darkColour = "#56B4E9",
  lightColour = "#0072B2";

function icon(number: number, colour: string): vscode.Uri {
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(gutterSvg(number, colour)).toString("base64")}`);
}

/// Empty, at the end of the line: such a range does not grow over what is typed or pasted.
function endOfLine(document: vscode.TextDocument, line: number): vscode.Range {
  const { end } = document.lineAt(Math.min(line, document.lineCount) - 1).range;
  return new vscode.Range(end, end);
}

export class StepMarks {
  private readonly currentLine = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    backgroundColor: new vscode.ThemeColor("picket.currentStepBackground"),
    borderColor: new vscode.ThemeColor("contrastActiveBorder"), // only in high contrast
    borderStyle: "dashed",
    borderWidth: "1px 0",
    overviewRulerColor: new vscode.ThemeColor("picket.currentStepBackground"),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly numbers = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly gutter = new Map<number, vscode.TextEditorDecorationType>(); // by number
  private marks = new Map<string, LineMarks[]>();
  private place: StepPlace | undefined;

  /// The counterexample that is shown from now on; undefined: none.
  show(data: Counterexample | undefined, document: string): void {
    this.marks = data ? marksOf(data, document) : new Map<string, LineMarks[]>();
    this.place = undefined;
    this.apply();
  }

  moveTo(data: Counterexample, step: number, document: string): void {
    this.place = placeOfStep(data, step, document);
    for (const editor of vscode.window.visibleTextEditors) this.applyCurrent(editor);
  }

  /// Whether anything happens in that file.
  concerns(file: string): boolean {
    return this.marks.has(file);
  }

  /// Editors lose their marks when they are hidden.
  apply(editors: readonly vscode.TextEditor[] = vscode.window.visibleTextEditors): void {
    for (const editor of editors) {
      this.applyNumbers(editor);
      this.applyCurrent(editor);
    }
  }

  private applyNumbers(editor: vscode.TextEditor): void {
    const { document } = editor;
    const lines = (this.marks.get(document.uri.fsPath) ?? []).filter(({ line }) => line <= document.lineCount);
    editor.setDecorations(
      this.numbers,
      lines.map(({ line, steps }) => {
        const hover = new vscode.MarkdownString(steps.map(stepInWords).join("  \n"));
        const after = {
          contentText: numbersText(steps),
          color: new vscode.ThemeColor("picket.stepForeground"),
          margin: "0 0 0 2em",
        };
        return { range: document.lineAt(line - 1).range, hoverMessage: hover, renderOptions: { after } };
      }),
    );
    const first = new Map(lines.map(({ line, steps }) => [steps[0]!.number, line]));
    for (const number of first.keys()) if (!this.gutter.has(number)) this.gutter.set(number, this.makeSign(number));
    for (const [number, type] of this.gutter) {
      const line = first.get(number);
      editor.setDecorations(type, line === undefined ? [] : [endOfLine(document, line)]);
    }
  }

  private makeSign(number: number): vscode.TextEditorDecorationType {
    return vscode.window.createTextEditorDecorationType({
      dark: { gutterIconPath: icon(number, darkColour) },
      light: { gutterIconPath: icon(number, lightColour) },
      gutterIconSize: "contain",
    });
  }

  private applyCurrent(editor: vscode.TextEditor): void {
    const { place } = this;
    const here = editor.document.uri.fsPath === place?.path && place.line <= editor.document.lineCount;
    editor.setDecorations(this.currentLine, here ? [endOfLine(editor.document, place.line)] : []);
  }

  dispose(): void {
    for (const type of [this.currentLine, this.numbers, ...this.gutter.values()]) type.dispose();
  }
}

// A counterexample (docs/counterexample-json.md) as far as the editor marks it: which steps are on which lines. What is
// drawn and told about it is the page's. Nothing here knows of VS Code.
import path from "node:path";
import type { CounterexampleJson, Step, TraceEvent } from "../../counterexample-page/src/counterexampleJson";

/// As the page reads it too: types only, nothing of the page is bundled.
type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
export type Counterexample = Pick<CounterexampleJson, "file" | "model"> & {
  events: Pick<TraceEvent, "file" | "line" | "column" | "thread">[];
  steps: Optional<Pick<Step, "event" | "text" | "strange" | "remark">, "strange" | "remark">[];
  threads: Pick<CounterexampleJson["threads"][number], "name">[];
};

/// Undefined: this is no counterexample of the version that is understood.
export function readCounterexample(value: unknown): Counterexample | undefined {
  const data = value as (Partial<Counterexample> & { picket?: unknown }) | null | undefined;
  if (typeof data !== "object" || data?.picket !== 1 || typeof data.file !== "string" || typeof data.model !== "string")
    return undefined;
  if (!Array.isArray(data.events) || !Array.isArray(data.steps) || !Array.isArray(data.threads)) return undefined;
  if (!data.steps.every((step) => data.events![step.event])) return undefined;
  return data as Counterexample;
}

/// The path of a file that an event is in. Paths in a counterexample may be relative: then the checked file is known by
/// its name, and others lie relative to its folder.
export function pathOf(file: string, data: Pick<Counterexample, "file">, document: string): string {
  if (file === "" || file === data.file) return document;
  return path.isAbsolute(file)
    ? path.normalize(file)
    : path.join(path.dirname(document), path.relative(path.dirname(data.file), file));
}

export interface StepMark {
  number: number; // from 1, as in the panel
  thread: string;
  text: string;
  strange: boolean;
}

export interface LineMarks {
  line: number; // from 1
  steps: StepMark[]; // in order
}

/// The steps on each line, per file (as a path), in order of lines. Steps without a place are on none.
export function marksOf(data: Counterexample, document: string): Map<string, LineMarks[]> {
  const files = new Map<string, Map<number, StepMark[]>>();
  data.steps.forEach((step, index) => {
    const event = data.events[step.event]!;
    if (event.line < 1) return;
    const file = pathOf(event.file, data, document);
    const lines = files.get(file) ?? files.set(file, new Map()).get(file)!;
    const marks = lines.get(event.line) ?? lines.set(event.line, []).get(event.line)!;
    marks.push({
      number: index + 1,
      thread: data.threads[event.thread]?.name ?? `thread ${event.thread}`,
      text: step.remark ? `${step.text}. ${step.remark}` : step.text,
      strange: step.strange === true,
    });
  });
  return new Map(
    [...files].map(([file, lines]) => [
      file,
      [...lines].sort(([a], [b]) => a - b).map(([line, steps]) => ({ line, steps })),
    ]),
  );
}

export interface StepPlace {
  path: string;
  line: number; // from 1
  column: number; // from 1, in bytes
}

/// Where a step is; undefined if nobody knows, or there is no such step.
export function placeOfStep(data: Counterexample, step: number, document: string): StepPlace | undefined {
  const event = data.events[data.steps[step]?.event ?? -1];
  if (!event || event.line < 1) return undefined;
  return { path: pathOf(event.file, data, document), line: event.line, column: event.column };
}

/// ① to ⑩, then (11): many fonts of editors have no further ones. The signs in the gutter are drawn.
export function circled(number: number): string {
  return number >= 1 && number <= 10 ? String.fromCodePoint(0x2460 + number - 1) : `(${number})`;
}

const mostNumbers = 12;

/// What stands behind a line: all its steps, the middle left out if there are many.
export function numbersText(steps: readonly StepMark[]): string {
  const numbers = steps.map((step) => circled(step.number));
  return numbers.length <= mostNumbers
    ? numbers.join(" ")
    : [...numbers.slice(0, mostNumbers - 1), "\u2026", numbers.at(-1)!].join(" ");
}

/// A step in one line of Markdown.
export function stepInWords(step: StepMark): string {
  return `${circled(step.number)} **${escapeMarkdown(step.thread)}** ${escapeMarkdown(step.text)}`;
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!|<>~]/g, "\\$&");
}

/// The sign in the gutter: a number in a circle, as SVG. Colours are given because a gutter icon knows no theme.
export function gutterSvg(number: number, colour: string): string {
  const text = number > 999 ? "\u2026" : String(number);
  const size = [9.5, 8.5, 6.5][text.length - 1];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">` +
    `<circle cx="8" cy="8" r="7" fill="none" stroke="${colour}" stroke-width="1.1"/>` +
    `<text x="8" y="8" dy="0.36em" text-anchor="middle" font-family="sans-serif" font-size="${size}" fill="${colour}">${text}</text></svg>`
  );
}

/// The column (from 0, in UTF-16 units) of a byte column (from 1) in a line.
export function utf16Column(line: string, byteColumn: number): number {
  const bytes = Buffer.from(line, "utf8");
  return bytes.subarray(0, Math.max(0, byteColumn - 1)).toString("utf8").length;
}

/// Whether lines went away with an edit. The marks of steps move along with other edits.
export function removesLines(
  changes: readonly { range: { start: { line: number }; end: { line: number } } }[],
): boolean {
  return changes.some(({ range }) => range.end.line > range.start.line);
}

// Fixes: verified fences that prevent the bug, and the part of the counterexample that each of them cuts. Independent of the
// browser.
import type { Edge, Frame, Place } from "./data";
import { baseName, type StepSequence } from "./stepSequence";

/// One of the changes of a fix. The accesses it stands between; of a changed memory order the access, twice. Line 0: in
/// another function.
export interface Change {
  text: string;
  kind: string; // fence, order
  earlier: Place;
  later: Place;
}

export interface Fix {
  id: string;
  title: string;
  models: string[];
  changes: Change[];
  diff: string;
}

/// What an editor sends; anything that does not fit is left out.
export function readFixes(value: unknown): Fix[] {
  const isPlace = (place: unknown): place is Place => {
    const { file, line, column } = (place ?? {}) as Partial<Place>;
    return typeof file === "string" && Number.isInteger(line) && Number.isInteger(column);
  };
  return (Array.isArray(value) ? value : []).filter((one): one is Fix => {
    const fix = one as (Partial<Omit<Fix, "changes">> & { changes?: (Partial<Change> | null)[] }) | null;
    return (
      typeof fix?.id === "string" &&
      typeof fix.title === "string" &&
      typeof fix.diff === "string" &&
      Array.isArray(fix.models) &&
      Array.isArray(fix.changes) &&
      fix.changes.every(
        (change) => typeof change?.text === "string" && isPlace(change.earlier) && isPlace(change.later),
      )
    );
  });
}

/// The accesses of one thread whose order a change keeps.
export interface Cut {
  first: number; // events
  second: number;
  changes: number[]; // of the fix, from 0
}

/// The reordered pairs of the cycle, each with the changes that stand between them.
export function cutsOf(sequence: StepSequence, fix: Fix): Cut[] {
  return sequence.data.cycle.reordered
    .map(({ first, second }) => ({
      first,
      second,
      changes: fix.changes.flatMap((change, i) => (stands(sequence, change, first, second) ? [i] : [])),
    }))
    .filter(({ changes }) => changes.length > 0);
}

/// Between two accesses of a thread a change stands if what it names lies on the way from the one to the other.
function stands(sequence: StepSequence, change: Change, first: number, second: number): boolean {
  const { thread } = sequence.event(first);
  const way = sequence.data.events.flatMap((event, i) =>
    event.thread === thread && event.kind !== "update" && i >= first && i <= second ? [i] : [],
  );
  const at = (place: Place, from: number, to: number) =>
    place.line === 0 ||
    way.some(
      (event) => event >= from && event <= to && frames(sequence, event).some((frame) => samePlace(frame, place)),
    );
  if (change.kind !== "fence")
    return [first, second].some((event) => frames(sequence, event).some((frame) => samePlace(frame, change.earlier)));
  const before = way.at(-2),
    behind = way[1];
  if (before === undefined || behind === undefined) return false;
  return at(change.earlier, first, before) && (at(change.later, behind, second) || !isAccess(sequence, change.later));
}

/// Where an event happened, and where the calls were made that led there.
function frames(sequence: StepSequence, event: number): Frame[] {
  const e = sequence.event(event);
  return [e, ...(e.callers ?? [])];
}

function samePlace(a: Place, b: Place): boolean {
  return a.line === b.line && a.column === b.column && baseName(a.file) === baseName(b.file);
}

/// A fence may also name the program point where two control-flow paths join, which is not an event.
function isAccess(sequence: StepSequence, place: Place): boolean {
  return sequence.data.events.some((_, event) => frames(sequence, event).some((frame) => samePlace(frame, place)));
}

/// Whether an edge of the cycle is cut: it is part of the way from the one access to the other.
export function isCut(sequence: StepSequence, edge: Edge, cuts: readonly Cut[]): boolean {
  const from = sequence.event(edge.from),
    to = sequence.event(edge.to);
  if (from.thread !== to.thread) return false;
  const origin = (event: number) => {
    const { kind, partner } = sequence.event(event);
    return kind === "update" && partner !== undefined ? partner : event;
  };
  return cuts.some(
    ({ first, second }) =>
      sequence.event(first).thread === from.thread && origin(edge.from) >= first && origin(edge.to) <= second,
  );
}

export interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  text: string;
  line?: number; // in the file as it is; of an added line the one it stands behind
}

/// A unified diff as lines to show, without its headers. Between its parts, and before each file but the first, is a gap.
export function linesOf(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let number = 0;
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)/.exec(line);
    if (hunk) {
      if (lines.length > 0) lines.push({ kind: "gap", text: "" });
      number = Number(hunk[1]);
    } else if (/^(---|\+\+\+) /.test(line) || line === "" || line.startsWith("\\")) {
      continue;
    } else {
      const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
      lines.push({ kind, text: line.slice(1), line: kind === "added" ? number - 1 : number });
      if (kind !== "added") number++;
    }
  }
  return lines;
}

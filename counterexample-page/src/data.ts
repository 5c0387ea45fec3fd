// The JSON of a counterexample (docs/counterexample-json.md), as this page reads it.

import type * as json from "./counterexampleJson";

export type { Access, BufferedStore, EdgeKind, EventKind, Frame } from "./counterexampleJson";
export type Place = json.SourceLocation;
export type View = "chronological" | "shashaSnir";

/// The page can do without these, so that it also shows what another version wrote.
type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
export type TraceEvent = Optional<json.TraceEvent, "accesses" | "callers">;
export type Step = Optional<json.Step, "remark" | "memory" | "buffers" | "locks">;
export type Edge = Optional<json.Edge, "cycle">;
export type Graph = Omit<json.Graph, "edges"> & { edges: Edge[] };
export type Counterexample = Pick<
  json.CounterexampleJson,
  | "picket"
  | "file"
  | "model"
  | "modelTitle"
  | "target"
  | "host"
  | "bug"
  | "sentence"
  | "threads"
  | "variables"
  | "sources"
> & {
  events: TraceEvent[];
  steps: Step[];
  cycle: Required<json.CounterexampleJson["cycle"]>;
  chronological?: Graph;
  shashaSnir?: Graph;
};

/// One counterexample or an array of them. What is not needed may be missing; anything else that does not fit is an Error
/// with a sentence for the reader of the page.
export function readCounterexamples(value: unknown): Counterexample[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new Error("The file holds no counterexample.");
  return list.map(readCounterexample);
}

function readCounterexample(value: unknown): Counterexample {
  if (typeof value !== "object" || value === null) throw new Error("This is not a counterexample.");
  const raw = value as Partial<Counterexample>;
  if (raw.picket !== 1) throw new Error(`This page shows counterexamples of version 1, not ${String(raw.picket)}.`);
  for (const part of ["threads", "variables", "events", "steps"] as const)
    if (!Array.isArray(raw[part])) throw new Error(`The counterexample has no ${part}.`);
  const data = {
    ...raw,
    cycle: { edges: raw.cycle?.edges ?? [], reordered: raw.cycle?.reordered ?? [], late: raw.cycle?.late ?? [] },
    sources: raw.sources ?? {},
  } as Counterexample;
  for (const [i, step] of data.steps.entries())
    if (!data.events[step.event]) throw new Error(`Step ${i + 1} is about an event that is not there.`);
  return data;
}

// The JSON of a counterexample (docs/counterexample-json.md), as this page reads it.

export type EventKind =
  "store" | "load" | "rmw" | "update" | "fence" | "sync" | "create" | "join" | "free" | "atomic" | "blocked" | "bug";
export type EdgeKind =
  "po" | "su" | "uu" | "st" | "src" | "cf" | "uf" | "sync" | "life" | "addr" | "data" | "ctrl" | "fence";
export type View = "chronological" | "shashaSnir";

export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface Frame extends Place {
  function: string;
}

export interface Access {
  variable: number;
  write: boolean;
  value: string;
}

export interface TraceEvent extends Frame {
  kind: EventKind;
  thread: number;
  partner?: number;
  forwarded?: boolean;
  other?: number;
  accesses?: Access[];
  what?: string;
  expression?: string;
  ordering?: string;
  callers?: Frame[];
}

export interface Edge {
  from: number;
  to: number;
  kind: EdgeKind;
  cycle?: boolean;
}

export interface Graph {
  nodes: number[];
  edges: Edge[];
  dot?: string;
  svg?: string;
  unfoldedSvg?: string;
}

export interface BufferedStore {
  store: number;
  variable: number;
  value: string;
}

export interface Step {
  event: number;
  text: string;
  strange: boolean;
  remark?: string;
  memory?: string[];
  buffers?: BufferedStore[][];
  locks?: { variable: number; thread: number }[];
}

export interface Counterexample {
  picket: number;
  file: string;
  model: string;
  modelTitle?: string; // for people, where it is not `model` in capitals
  bug: Place & { kind: string; message: string; thread: string; event?: number };
  sentence: string;
  threads: { name: string }[];
  variables: { name: string; object?: string; type?: string; initial: string }[];
  events: TraceEvent[];
  chronological?: Graph;
  shashaSnir?: Graph;
  cycle: {
    edges: Edge[];
    reordered: { first: number; second: number; sentence: string }[];
    late: { write: number; read: number; sentence: string }[]; // POWER
  };
  steps: Step[];
  sources: Record<string, string>;
}

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

// The JSON of a counterexample, as server/TraceJson.cpp writes it and docs/counterexample-json.md explains it: the one
// description that the page and the VS Code extension read it by. Types only. tests/reports/counterexample_types.mjs holds
// what Picket writes against it.

export type EventKind =
  | "store"
  | "load"
  | "rmw"
  | "update"
  | "fence"
  | "sync"
  | "create"
  | "join"
  | "free"
  | "atomic"
  | "choice"
  | "blocked"
  | "bug";
export type EdgeKind =
  "po" | "su" | "uu" | "st" | "src" | "cf" | "uf" | "sync" | "life" | "addr" | "data" | "ctrl" | "fence" | "race";

/// Lines and columns count from 1, columns in bytes; line 0: not known.
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

export interface Frame extends SourceLocation {
  function: string;
}

export interface Access {
  variable: number;
  write: boolean;
  value: string;
  bits: [string, string];
  source?: number;
  position?: number;
  cells?: { offset: number; source?: number; position?: number }[];
}

export interface TraceEvent extends Frame {
  kind: EventKind;
  thread: number;
  partner?: number;
  forwarded?: true;
  fullFence?: true;
  storeBarrier?: true;
  other?: number;
  number?: number;
  part?: number;
  links?: { kind: "addr" | "data" | "ctrl" | "fence" | "kept"; on: number }[];
  accesses: Access[];
  what?: string;
  expression?: string;
  ordering?: string;
  callers: Frame[];
  folded?: Frame[];
}

/// On the cycle.
export interface CycleEdge {
  from: number;
  to: number;
  kind: EdgeKind;
}

export interface Edge extends CycleEdge {
  cycle: boolean;
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
  remark: string;
  memory: string[];
  buffers: BufferedStore[][];
  locks: { variable: number; thread: number }[];
}

export interface CounterexampleJson {
  picket: 1;
  file: string;
  model: string;
  modelTitle?: string;
  target?: string;
  host?: string;
  unroll: number;
  flags: string[];
  volatile?: string;
  releaseSequences?: string;
  bug: SourceLocation & {
    kind: string;
    message: string;
    thread: string;
    event?: number;
    race?: [number, number];
    goesRound?: true;
  };
  sentence: string;
  threads: { name: string; identity: number[] }[];
  variables: {
    name: string;
    object: string;
    type: string;
    address: string;
    size: number;
    initial: string;
    initialBits: [string, string];
  }[];
  events: TraceEvent[];
  chronological?: Graph;
  shashaSnir: Graph;
  cycle: {
    edges: CycleEdge[];
    reordered: { first: number; second: number; sentence: string }[];
    late?: { write: number; read: number; sentence: string }[];
  };
  steps: Step[];
  failures?: { thread: number[]; arrival: number }[];
  shared: {
    kind: "global" | "stack" | "heap";
    name: string;
    function: string;
    ordinal: number;
    parts?: { offset: number; size: number }[];
  }[];
  sources: Record<string, string>;
}

// StepSequence: the steps of a counterexample, and queries about them. Independent of the browser.
import type { BufferedStore, Counterexample, Place, Step, TraceEvent } from "./data";

export interface VariableNow {
  name: string;
  detail: string; // "int, global 'flag'"
  value: string;
  before: string; // the value before the step; the same as value if it did not change
}

/// A queue of stores that wait, oldest first. Under PSO a thread has one per variable.
export interface Queue {
  stores: BufferedStore[];
}

export class StepSequence {
  readonly length: number;
  /// Threads that have a step, in order: the columns.
  readonly threads: number[];
  /// Those that ever have a store waiting.
  readonly bufferingThreads: number[];
  readonly hasLocks: boolean;
  private readonly stepByEvent = new Map<number, number>();
  private readonly lines = new Map<string, string[]>();

  constructor(readonly data: Counterexample) {
    this.length = data.steps.length;
    data.steps.forEach((step, i) => {
      if (!this.stepByEvent.has(step.event)) this.stepByEvent.set(step.event, i);
    });
    this.threads = [...new Set(data.steps.map((step) => this.event(step.event).thread))].sort((a, b) => a - b);
    this.bufferingThreads = data.threads
      .map((_, i) => i)
      .filter((i) => data.steps.some((step) => step.buffers?.[i]?.length));
    this.hasLocks = data.steps.some((step) => (step.locks ?? []).length > 0);
  }

  event(event: number): TraceEvent {
    return this.data.events[event]!;
  }

  step(index: number): Step {
    return this.data.steps[index]!;
  }

  eventOfStep(index: number): TraceEvent {
    return this.event(this.step(index).event);
  }

  stepOfEvent(event: number): number | undefined {
    return this.stepByEvent.get(event);
  }

  threadName(thread: number): string {
    return this.data.threads[thread]?.name ?? `thread ${thread}`;
  }

  variableName(variable: number): string {
    return this.data.variables[variable]?.name ?? `variable ${variable}`;
  }

  /// The program's own line, without the indentation; empty if it is not known.
  sourceLine(place: Place): string {
    let lines = this.lines.get(place.file);
    if (!lines) this.lines.set(place.file, (lines = (this.data.sources[place.file] ?? "").split(/\r?\n/)));
    return lines[place.line - 1]?.trim() ?? "";
  }

  /// "line 9", or "lock.h:9" outside the checked file.
  placeText(place: Place): string {
    if (!place.line) return "";
    return !place.file || place.file === this.data.file
      ? `line ${place.line}`
      : `${baseName(place.file)}:${place.line}`;
  }

  variables(index: number): VariableNow[] {
    const now = this.step(index).memory ?? [];
    const before = index > 0 ? (this.step(index - 1).memory ?? []) : this.data.variables.map((v) => v.initial);
    return this.data.variables.map((variable, i) => ({
      name: variable.name,
      detail: [variable.type, variable.object].filter(Boolean).join(", "),
      value: now[i] ?? "",
      before: before[i] ?? "",
    }));
  }

  get hasBuffers(): boolean {
    return this.bufferingThreads.length > 0;
  }

  /// What waits in a thread's store buffer after the step.
  queues(index: number, thread: number): Queue[] {
    const stores = this.step(index).buffers?.[thread] ?? [];
    if (stores.length === 0) return [];
    if (this.data.model !== "pso") return [{ stores }];
    const variables = [...new Set(stores.map((store) => store.variable))];
    return variables.map((variable) => ({ stores: stores.filter((store) => store.variable === variable) }));
  }

  /// Stores (events) that have not reached memory after the step.
  waiting(index: number): Set<number> {
    return new Set((this.step(index).buffers ?? []).flat().map((entry) => entry.store));
  }

  /// The stack at a step, innermost first. What is folded only wraps the access, or is a library's.
  stack(index: number): { function: string; place: Place; folded: boolean }[] {
    const event = this.eventOfStep(index);
    const folded = event.folded ?? [];
    const frames = [...(event.callers ?? []), event, ...folded].reverse();
    return frames
      .map((frame, at) => ({ function: frame.function, place: frame, folded: at < folded.length }))
      .filter((frame) => frame.function || frame.place.line);
  }

  nextOutOfOrder(from: number, direction: 1 | -1): number | undefined {
    for (let i = from + direction; i >= 0 && i < this.length; i += direction) if (this.step(i).strange) return i;
    return undefined;
  }

  get outOfOrderCount(): number {
    return this.data.steps.filter((step) => step.strange).length;
  }

  /// The next step at a line, after `from` and then from the beginning. A file is known by its name if the folders
  /// before it differ (an editor has absolute paths).
  stepAtLine(file: string, line: number, from: number): number | undefined {
    for (let i = 1; i <= this.length; i++) {
      const index = (from + i) % this.length;
      const event = this.eventOfStep(index);
      if (event.line === line && sameFile(event.file, file)) return index;
    }
    return undefined;
  }

  /// Tells two counterexamples apart well enough to decide whether a remembered step still means anything.
  get key(): string {
    const { file, model, bug } = this.data;
    return [file, model, bug.kind, bug.line, this.length].join("|");
  }
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function sameFile(a: string, b: string): boolean {
  if (a === b) return true;
  const [long, short] = a.length > b.length ? [a, b] : [b, a];
  return short !== "" && long.endsWith("/" + short);
}

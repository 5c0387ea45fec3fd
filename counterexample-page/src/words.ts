// Events, edges and whole counterexamples in plain words.
import type { Edge, EdgeKind } from "./data";
import { baseName, type StepSequence } from "./stepSequence";

export const viewNames = { chronological: "Chronological", shashaSnir: "Shasha-Snir" } as const;

/// What an arrow from a to b of each kind means, for the legend: short, then in full.
export const edgeNames: Record<EdgeKind, [name: string, meaning: string]> = {
  po: ["program order", "a comes before b in the program"],
  su: ["reaches memory", "store a leaves the store buffer at b"],
  uu: ["overwrites", "b is the next write of the variable to reach memory after a"],
  st: ["overwrites", "b is the next write of the variable to reach memory after a"],
  src: ["read by", "b reads the value that a wrote"],
  cf: ["read too early", "a read the variable before b overwrote it"],
  uf: ["fence waits", "fence b waited until a had reached memory"],
  sync: ["lock order", "a and then b used the same lock or other synchronisation object"],
  life: ["start and end", "a starts thread b, or b waits for the end of thread a"],
  addr: ["address", "the address of access b depends on what a read"],
  data: ["data", "the value written by b depends on what a read"],
  ctrl: ["control", "whether b runs depends on what a read"],
  fence: ["fence between", "a fence keeps a before b"],
  race: ["data race", "nothing orders the accesses a and b"],
};

export const nodeNames: Record<string, string> = {
  store: "store",
  load: "load",
  rmw: "atomic read and write",
  update: "reaches memory",
  fence: "fence",
  sync: "lock",
  create: "starts a thread",
  join: "waits for a thread",
  free: "frees memory",
  atomic: "atomic section",
  choice: "choice",
  blocked: "waits forever",
  bug: "the bug",
  fold: "several events",
};

export function modelName(data: { model: string; modelTitle?: string }): string {
  return data.modelTitle ?? data.model.toUpperCase();
}

/// "POWER (powerpc64le)": also what the program was compiled for, where that is not the machine that checked it.
export function modelAndTarget(data: { model: string; modelTitle?: string; target?: string; host?: string }): string {
  return modelName(data) + (data.target && data.host ? ` (${data.target})` : "");
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/// "the store of 1 to flag0 (left, line 11)"
export function eventInWords(sequence: StepSequence, event: number): string {
  const e = sequence.event(event);
  const access = e.accesses?.[0];
  const name = access ? sequence.variableName(access.variable) : (e.expression ?? "");
  const write = e.accesses?.find((a) => a.write);
  const read = e.accesses?.find((a) => !a.write);
  let what: string;
  if (e.kind === "store" && write) what = `the store of ${write.value} to ${name}`;
  else if (e.kind === "load" && read) what = `the load of ${read.value} from ${name}`;
  else if (e.kind === "update" && write) what = `the arrival of ${write.value} in ${name}`;
  else if (e.kind === "rmw") what = `the atomic operation on ${name}`;
  else if (e.kind === "fence") what = "the fence";
  else if (e.kind === "sync") what = e.what ? `the step that ${e.what} ${name}`.trimEnd() : `the operation on ${name}`;
  else if (e.kind === "create") what = `the start of ${sequence.threadName(e.other ?? 0)}`;
  else if (e.kind === "join") what = `the wait for ${sequence.threadName(e.other ?? 0)}`;
  else if (e.kind === "bug") what = "the bug";
  else what = nodeNames[e.kind] ?? e.kind;
  const place = [sequence.threadName(e.thread), sequence.placeText(e)].filter(Boolean).join(", ");
  return `${what} (${place})`;
}

export function edgeInWords(sequence: StepSequence, edge: Edge): string {
  const from = eventInWords(sequence, edge.from);
  const to = eventInWords(sequence, edge.to);
  switch (edge.kind) {
    case "po":
      return capital(`${from} comes before ${to} in the program.`);
    case "su":
      return capital(`${from} reaches memory with ${to}.`);
    case "uu":
    case "st":
      return capital(`${from} reaches memory before ${to}.`);
    case "src":
      return capital(`${from} is what ${to} sees.`);
    case "cf":
      return capital(`${from} happened before ${to} changed the value.`);
    case "uf":
      return capital(`${from} had to come before ${to}.`);
    case "sync":
      return capital(`${from} comes before ${to} on the same object.`);
    case "life":
      return capital(`${from} comes before ${to}.`);
    case "addr":
    case "data":
    case "ctrl":
      return capital(`${to} depends on ${from} (${edgeNames[edge.kind][0]}).`);
    case "fence":
      return capital(`A fence keeps ${from} before ${to}.`);
    case "race":
      return capital(`Nothing orders ${from} and ${to}.`);
  }
}

/// What follows from the cycle: which steps of a thread took effect in the wrong order, which did not for all threads.
export function conclusions(sequence: StepSequence): string[] {
  const { reordered, late } = sequence.data.cycle;
  return [...reordered, ...late].map((pair, i) =>
    i === 0 ? `So ${sentence(pair.sentence)}` : capital(sentence(pair.sentence)),
  );
}

/// "Step 5 of 14, left, line 11: stores 1 to flag0." for announcements and tooltips.
export function stepInWords(sequence: StepSequence, index: number): string {
  const step = sequence.step(index);
  const event = sequence.eventOfStep(index);
  const head = [
    `Step ${index + 1} of ${sequence.length}`,
    sequence.threadName(event.thread),
    sequence.placeText(event),
  ];
  const remark = step.remark ? ` ${capital(sentence(step.remark))}` : "";
  return plain(`${head.filter(Boolean).join(", ")}: ${sentence(step.text)}${remark}`);
}

/// The whole counterexample as plain text, to be put into a mail or a bug report.
export function asText(sequence: StepSequence): string {
  const { data } = sequence;
  const message = data.bug.message || "not robust: this execution is impossible under sequential consistency";
  const out = [`${placeOf(data.bug.file || data.file, data.bug.line, data.bug.column)}: ${message}`];
  out.push(`Model: ${modelAndTarget(data)}${data.bug.thread ? `, in thread ${data.bug.thread}` : ""}`);
  if (data.sentence) out.push("", data.sentence);
  out.push("", "Steps (* marks steps that are impossible under sequential consistency):");
  const width = Math.max(...sequence.threads.map((thread) => sequence.threadName(thread).length));
  const digits = String(sequence.length).length;
  const indent = " ".repeat(2 + digits + 2);
  data.steps.forEach((step, i) => {
    const event = sequence.eventOfStep(i);
    const number = String(i + 1).padStart(digits);
    const name = sequence.threadName(event.thread).padEnd(width);
    const place = sequence.placeText(event);
    out.push(`${step.strange ? "*" : " "} ${number}  ${name}  ${place ? place + ": " : ""}${step.text}`);
    const source = sequence.sourceLine(event);
    if (source) out.push(`${indent}${" ".repeat(width)}  | ${source}`);
    if (step.remark) out.push(`${indent}${" ".repeat(width)}  ${step.remark}`);
  });
  if (data.cycle.edges.length) {
    out.push("", "Why no interleaving of the threads explains it:");
    data.cycle.edges.forEach((edge, i) => out.push(`  ${i + 1}. ${edgeInWords(sequence, edge)}`));
    for (const conclusion of conclusions(sequence)) out.push(`  ${conclusion}`);
  }
  return out.join("\n") + "\n";
}

export function placeOf(file: string, line: number, column: number): string {
  return [baseName(file), ...(line ? [line] : []), ...(line && column ? [column] : [])].join(":");
}

/// Without the backquotes around names.
export function plain(text: string): string {
  return text.replaceAll("`", "");
}

/// Ends with a full stop, once.
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : text + ".";
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

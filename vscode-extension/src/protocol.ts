// What the server says beyond the language server protocol (docs/lsp-extensions.md), as the extension reads it.
// Nothing here knows of VS Code.

/// Methods.
export const StatusNotification = "picket/status";
export const CounterexampleRequest = "picket/counterexample";
export const ModelsRequest = "picket/models";
export const FixesRequest = "picket/fixes";

/// Commands of the server, by workspace/executeCommand. The extension has commands of the same names, because lenses
/// carry them: it tells the server so (initializationOptions.clientCommands), and asks it itself.
export const serverCommands = [
  "picket.check",
  "picket.checkAllModels",
  "picket.showCounterexample",
  "picket.explain",
  "picket.addFences",
  "picket.relax",
  "picket.cancel",
  "picket.restartWorker",
] as const;
export type ServerCommand = (typeof serverCommands)[number];

export type CheckState = "unchecked" | "waiting" | "checking" | "done" | "quiet" | "cancelled" | "failed";
export type Verdict = "verified" | "bounded" | "violation" | "inconclusive" | "unsupported" | "compile-error";

export interface ModelStatus {
  model: string;
  verdict: string; // a Verdict, or "checking" while it is not known
  executions: number;
  reason?: string; // why there is no verdict
  skipped?: boolean; // it cannot check the program, and nobody asked for it: the others count
}

/// How far a check is. The percentage (of the whole check) and the seconds left are estimates, and missing while nothing can be said.
export interface Progress {
  model: string;
  executions: number;
  percentage?: number;
  secondsLeft?: number;
}

/// What is known about fences that would prevent the bug.
export interface FixesStatus {
  searching: boolean;
  offers: number; // that were proved
  reason: string; // why there is none
}

/// The status of one document.
export interface Status {
  uri: string;
  version: number;
  state: CheckState;
  current: boolean; // the verdicts are about the text as it is now
  partial?: boolean; // some models have no verdict yet
  models: ModelStatus[];
  counterexamples: string[]; // the models that have one, each once
  progress?: Progress; // while it is being checked
  fixes: FixesStatus;
}

const states: readonly string[] = ["unchecked", "waiting", "checking", "done", "quiet", "cancelled", "failed"];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/// Undefined: this is no status. Unknown states count as unchecked, so that a newer server does no harm.
export function readStatus(value: unknown): Status | undefined {
  if (!isObject(value) || typeof value["uri"] !== "string") return undefined;
  const state = textOf(value["state"]);
  const objects = (list: unknown) => (Array.isArray(list) ? list.filter(isObject) : []);
  const status: Status = {
    uri: value["uri"],
    version: numberOf(value["version"]),
    state: (states.includes(state) ? state : "unchecked") as CheckState,
    current: value["current"] !== false,
    models: objects(value["models"]).map((one) => ({
      model: textOf(one["model"]),
      verdict: textOf(one["verdict"]),
      executions: numberOf(one["executions"]),
      ...(textOf(one["reason"]) ? { reason: textOf(one["reason"]) } : {}),
      ...(one["skipped"] === true ? { skipped: true } : {}),
    })),
    counterexamples: [...new Set(objects(value["counterexamples"]).map((one) => textOf(one["model"])))],
    fixes: readFixesStatus(value["fixes"]),
  };
  const progress = readProgress(value["progress"]);
  return { ...status, ...(value["partial"] === true ? { partial: true } : {}), ...(progress ? { progress } : {}) };
}

function readFixesStatus(value: unknown): FixesStatus {
  const fixes = isObject(value) ? value : {}; // an older server knows none
  return { searching: fixes["searching"] === true, offers: numberOf(fixes["offers"]), reason: textOf(fixes["reason"]) };
}

function readProgress(value: unknown): Progress | undefined {
  if (!isObject(value) || !textOf(value["model"])) return undefined;
  const { percentage, secondsLeft } = value;
  return {
    model: textOf(value["model"]),
    executions: numberOf(value["executions"]),
    ...(typeof percentage === "number" ? { percentage } : {}),
    ...(typeof secondsLeft === "number" ? { secondsLeft } : {}),
  };
}

export interface KnownModel {
  id: string;
  name: string;
  description: string;
}

/// Models of which only the names in settings are known, while there is no server to ask.
export function namedModels(ids: string[]): KnownModel[] {
  return ids.map((id) => ({ id, name: id.toUpperCase(), description: "" }));
}

/// The models the server can check; undefined if the answer is none.
export function readModels(value: unknown): KnownModel[] | undefined {
  if (!isObject(value) || !Array.isArray(value["models"])) return undefined;
  return value["models"]
    .filter(isObject)
    .filter((one) => one["available"] !== false)
    .map((one) => ({
      id: textOf(one["model"]),
      name: textOf(one["title"]),
      description: textOf(one["description"]),
    }))
    .filter((one) => one.id !== "")
    .map((one) => ({ ...one, name: one.name || one.id.toUpperCase() }));
}

/// The arguments of a command that a code lens carries: a URI and perhaps a model, one by one or in an object. Undefined: it
/// was not called by a lens.
export function readTarget(args: readonly unknown[]): { uri: string; model?: string } | undefined {
  const [first, second] = args;
  const [uri, model] = isObject(first) ? [first["uri"], first["model"]] : [first, second];
  if (typeof uri !== "string") return undefined;
  return typeof model === "string" && model !== "" ? { uri, model } : { uri };
}

/// The fixes in the answer to picket/fixes that are about bugs; what is in them is the page's business.
export function readFixes(value: unknown): unknown[] {
  return isObject(value) && Array.isArray(value["fixes"])
    ? value["fixes"].filter((fix) => isObject(fix) && fix["aim"] === "no-bug")
    : [];
}

/// How many fences are not needed, after picket.relax, and why none if so.
export interface Hints {
  count: number;
  reason: string;
}
/// Undefined: that was not found out.
export function readHints(value: unknown): Hints | undefined {
  return isObject(value) && typeof value["hints"] === "number"
    ? { count: value["hints"], reason: textOf(value["reason"]) }
    : undefined;
}

/// The answer to picket.explain.
export function readExplanation(value: unknown): string | undefined {
  return isObject(value) ? textOf(value["markdown"]) || undefined : undefined;
}

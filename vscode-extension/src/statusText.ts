// The status of a file as text: for the status bar, its tooltip and its menu. Independent of VS Code.
import type { KnownModel, ModelStatus, Progress, Status } from "./protocol";

export type ServerState = "starting" | "running" | "stopped";

export interface StatusText {
  text: string; // with $(icons)
  tooltip: string;
  label: string; // for screen readers
  severity: "none" | "warning" | "error";
}

const signs: Record<string, string> = {
  verified: "\u2713",
  bounded: "\u2713",
  violation: "\u2717",
  inconclusive: "?",
  unsupported: "\u2013",
  "compile-error": "\u2013",
};

const verdictWords: Record<string, string> = {
  verified: "verified: every execution was seen, none goes wrong",
  bounded: "nothing found; some loops were followed only up to the bound",
  violation: "violation",
  inconclusive: "inconclusive: a limit was reached before the answer",
  unsupported: "unsupported: the program does something that is not modelled",
  "compile-error": "the file does not compile",
};

const titles = new Map<string, string>();

/// Models are called what the server calls them.
export function learnTitles(models: readonly KnownModel[]): void {
  for (const { id, name } of models) titles.set(id, name);
}

export function modelName(model: string): string {
  return titles.get(model) ?? model.toUpperCase();
}

export function sign(verdict: string): string {
  return signs[verdict] ?? "\u2026";
}

/// 18204 as "18 204".
export function grouped(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function executions(count: number): string {
  return count === 1 ? "1 execution" : `${grouped(count)} executions`;
}

function verdicts(models: readonly ModelStatus[]): string {
  return models.map((one) => `${modelName(one.model)} ${sign(one.verdict)}`).join(" ");
}

function inWords(one: ModelStatus): string {
  if (one.skipped) return `${modelName(one.model)}: not checked${one.reason ? `: ${one.reason}` : ""}`;
  const words = verdictWords[one.verdict] ?? "being checked";
  return `${modelName(one.model)}: ${words}${one.executions > 0 ? ` (${executions(one.executions)})` : ""}`;
}

/// ", 40 %", or nothing.
function percentage({ percentage }: Progress): string {
  return percentage === undefined ? "" : `, ${Math.round(percentage)}\u00a0%`;
}

function progressInWords(progress: Progress): string {
  const done =
    progress.percentage === undefined
      ? ""
      : ` The whole check is about ${Math.round(progress.percentage)}\u00a0% done.`;
  const left = progress.secondsLeft === undefined ? "" : ` Some ${duration(progress.secondsLeft)} left.`;
  return `Checking under ${modelName(progress.model)}: ${executions(progress.executions)} so far.${done}${left}`;
}

/// "40 s", "3 min": rounded up, as it is a guess.
export function duration(seconds: number): string {
  return seconds < 100 ? `${Math.ceil(seconds)}\u00a0s` : `${Math.ceil(seconds / 60)}\u00a0min`;
}

export function statusText(server: ServerState, status: Status | undefined): StatusText {
  const make = (text: string, tooltip: string, severity: StatusText["severity"] = "none"): StatusText => ({
    text,
    tooltip,
    label: tooltip.startsWith("Picket") ? tooltip : `Picket: ${tooltip}`,
    severity,
  });
  if (server === "starting") return make("$(loading~spin) Picket", "Picket is starting.");
  if (server === "stopped") return make("$(warning) Picket", "Picket's server is not running.", "warning");
  switch (status?.state) {
    case undefined:
    case "unchecked":
      return make("$(shield) Picket", "This file has not been checked yet.");
    case "quiet":
      return make("$(shield) Picket", "Nothing to check: the file has no main function or no threads.");
    case "waiting":
      return make("$(loading~spin) Picket", "The check is about to start.");
    case "cancelled":
      return make("$(circle-slash) Picket: cancelled", "The check was cancelled.");
    case "failed":
      return make("$(warning) Picket: failed", "The checker stopped unexpectedly on this file.", "warning");
    case "checking": {
      const { progress } = status;
      if (status.partial && status.current) {
        const words = [...status.models.map(inWords), ...(progress ? [progressInWords(progress)] : [])];
        const found = status.models.some((one) => one.verdict === "violation");
        return make(`$(loading~spin) Picket: ${verdicts(status.models)}`, words.join("\n"), found ? "error" : "none");
      }
      return progress
        ? make(
            `$(loading~spin) Picket: ${modelName(progress.model)} ${grouped(progress.executions)}${percentage(progress)}`,
            progressInWords(progress),
          )
        : make("$(loading~spin) Picket: checking", "Checking.");
    }
    case "done":
      return verdictText(status, make);
  }
}

function verdictText(
  status: Status,
  make: (text: string, tooltip: string, severity?: StatusText["severity"]) => StatusText,
): StatusText {
  const { models } = status;
  if (models.length === 0) return make("$(shield) Picket", "The file was checked.");
  if (models.every((one) => one.verdict === "compile-error"))
    return make("$(warning) Picket: does not compile", "The file does not compile.", "warning");
  const found = models.some((one) => one.verdict === "violation");
  const open = models.some((one) => !one.skipped && !["verified", "bounded", "violation"].includes(one.verdict));
  const icon = found ? "error" : open ? "question" : "pass";
  const old = status.current ? "" : "\n(before the last edit)";
  return make(
    `$(${icon}) Picket: ${verdicts(models)}`,
    models.map(inWords).join("\n") + old,
    found ? "error" : open ? "warning" : "none",
  );
}

export type MenuAction =
  "check" | "checkAll" | "models" | "counterexample" | "fences" | "cancel" | "restart" | "output" | "settings";

export interface MenuEntry {
  action: MenuAction;
  label: string;
  description: string;
}

/// The menu entries that are available now, the most likely first.
export function menuEntries(server: ServerState, status: Status | undefined): MenuEntry[] {
  const running = status?.state === "checking" || status?.state === "waiting";
  const found = (status?.counterexamples ?? []).map(modelName);
  const entries: (MenuEntry | false)[] = [
    server === "stopped" && { action: "restart", label: "$(debug-restart) Start the server", description: "" },
    running && { action: "cancel", label: "$(debug-stop) Cancel", description: "cancel the check of this file" },
    found.length > 0 && {
      action: "counterexample",
      label: "$(type-hierarchy) Show counterexample",
      description: found.join(", "),
    },
    server === "running" &&
      canBeFixed(status) && { action: "fences", label: "$(wand) Add fences", description: fixesText(status) },
    server === "running" && { action: "check", label: "$(play) Check now", description: "" },
    server === "running" && { action: "checkAll", label: "$(run-all) Check all models", description: "" },
    {
      action: "models",
      label: "$(list-selection) Choose models...",
      description: status?.models.map((one) => modelName(one.model)).join(", ") ?? "",
    },
    { action: "output", label: "$(output) Show output", description: "" },
    { action: "settings", label: "$(settings-gear) Settings", description: "" },
  ];
  return entries.filter((entry) => entry !== false);
}

/// Whether fences may be able to fix the bug.
function canBeFixed(status: Status | undefined): status is Status {
  return (
    (status?.state === "done" || status?.partial === true) &&
    status.current &&
    status.models.some((one) => one.verdict === "violation") &&
    !status.models.some((one) => one.model === "sc" && one.verdict === "violation") &&
    status.fixes.reason === ""
  );
}

function fixesText({ fixes }: Status): string {
  if (fixes.offers > 0) return "proved to prevent the violation";
  return fixes.searching ? "searching" : "";
}

/// The keys of the steps of the walkthrough that a new status completes.
export function walkthroughSteps(before: Status | undefined, now: Status): string[] {
  if (now.state !== "done" || now.models.length === 0 || before?.state === "done") return [];
  const violated = now.models.some((one) => one.verdict === "violation");
  const wasViolated = before?.models.some((one) => one.verdict === "violation") === true;
  return wasViolated && !violated ? ["picket.sawVerdict", "picket.sawFix"] : ["picket.sawVerdict"];
}

// Messages between the panel and the page in it (counterexample-page/README.md). What comes out of a webview is checked
// before it is used. Nothing here knows of VS Code.

export type ExportFormat = "svg" | "png" | "dot" | "json" | "text";

export type FromPage =
  | { type: "ready" }
  | { type: "select"; event: number; file: string; line: number; column: number }
  | { type: "model"; model: string }
  | { type: "applyFix"; id: string }
  | { type: "export"; format: ExportFormat; content: string; name: string }
  | { type: "at"; index: number; step: number }; // added by the frame around the page: what it shows now

export type ToPage =
  | { type: "counterexample"; data: unknown[]; index?: number } // with which of them to begin, if not where the page was
  | { type: "reveal"; file: string; line: number }
  | { type: "fixes"; fixes: unknown[] } // as in the answer to picket/fixes
  | { type: "stale" };

const formats: readonly string[] = ["svg", "png", "dot", "json", "text"];

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

export function readFromPage(value: unknown): FromPage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const message = value as Record<string, unknown>;
  switch (message["type"]) {
    case "ready":
      return { type: "ready" };
    case "select": {
      const { event, file, line, column } = message;
      if (!isCount(event) || typeof file !== "string" || !isCount(line) || !isCount(column)) return undefined;
      return { type: "select", event, file, line, column };
    }
    case "model":
      return typeof message["model"] === "string" ? { type: "model", model: message["model"] } : undefined;
    case "applyFix":
      return typeof message["id"] === "string" ? { type: "applyFix", id: message["id"] } : undefined;
    case "export": {
      const { format, content, name } = message;
      if (
        typeof format !== "string" ||
        !formats.includes(format) ||
        typeof content !== "string" ||
        typeof name !== "string"
      )
        return undefined;
      return { type: "export", format: format as ExportFormat, content, name };
    }
    case "at": {
      const { index, step } = message;
      return isCount(index) && isCount(step) ? { type: "at", index, step } : undefined;
    }
    default:
      return undefined;
  }
}

/// The bytes of an exported file; undefined if the content is not what the format says.
export function bytesOf(format: Exclude<ExportFormat, "text">, content: string): Uint8Array | undefined {
  if (format !== "png") return Buffer.from(content, "utf8");
  const data = /^data:image\/png;base64,([A-Za-z0-9+/]+=*)$/.exec(content)?.[1];
  return data === undefined ? undefined : Buffer.from(data, "base64");
}

/// The name that the page proposes if it is a plain one of that format, else "dekker-tso.svg".
export function exportName(
  proposed: string,
  document: string,
  model: string,
  format: Exclude<ExportFormat, "text">,
): string {
  if (/^[^./\\\0][^/\\\0]*$/.test(proposed) && proposed.endsWith(`.${format}`)) return proposed;
  const name = document.split("/").at(-1) ?? document;
  return `${name.replace(/\.\w+$/, "")}-${model}.${format}`;
}

/// What survives a reload of the window: which document the panel is about, and what the page remembers.
export interface PanelState {
  uri: string;
  page?: unknown;
}

export function readPanelState(value: unknown): PanelState | undefined {
  const state = value as Partial<PanelState> | null | undefined;
  return typeof state === "object" && typeof state?.uri === "string" ? { uri: state.uri, page: state.page } : undefined;
}

/// With which of the counterexamples the page begins: that of the wanted model, else of the one it shows. Undefined: as it
/// remembers.
export function beginAt(
  models: readonly string[],
  wanted: string | undefined,
  shown: string | undefined,
): number | undefined {
  const index = [wanted, shown]
    .map((model) => (model === undefined ? -1 : models.indexOf(model)))
    .find((found) => found >= 0);
  return index;
}

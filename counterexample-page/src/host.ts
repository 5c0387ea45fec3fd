// Host: the environment of the page, which is a browser or a VS Code webview. No other file distinguishes them.
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare const acquireVsCodeApi: (() => VsCodeApi) | undefined;

export type ToHost =
  | { type: "ready" }
  | { type: "select"; event: number; file: string; line: number; column: number }
  | { type: "export"; format: ExportFormat; content: string; name: string }
  | { type: "model"; model: string }
  | { type: "applyFix"; id: string };
export type FromHost =
  | { type: "counterexample"; data: unknown; index?: number }
  | { type: "reveal"; file: string; line: number }
  | { type: "fixes"; fixes: unknown }
  | { type: "stale" };
export type ExportFormat = "svg" | "png" | "dot" | "json" | "text";

/// What is remembered while the panel is hidden or the window reloaded.
export interface Saved {
  index?: number;
  key?: string; // of the counterexample the step belongs to
  step?: number;
  view?: string;
  theme?: string;
}

export interface Host {
  readonly inEditor: boolean;
  send(message: ToHost): void;
  load(): Saved;
  save(state: Saved): void;
  /// `content` is text, or for PNG a data URL. Resolves to what to tell the user.
  deliver(format: ExportFormat, content: string, fileName: string): Promise<string>;
}

export function findHost(): Host {
  return typeof acquireVsCodeApi === "function" ? editorHost(acquireVsCodeApi()) : browserHost();
}

function editorHost(api: VsCodeApi): Host {
  return {
    inEditor: true,
    send: (message) => api.postMessage(message),
    load: () => api.getState() ?? {},
    save: (state) => api.setState(state),
    deliver: (format, content, name) => {
      api.postMessage({ type: "export", format, content, name } satisfies ToHost);
      return Promise.resolve(format === "text" ? "Steps copied as text." : "");
    },
  };
}

const storageKey = "picket-counterexample-theme";

/// Remembers only the theme: a file opened again begins at its first step.
function browserHost(): Host {
  return {
    inEditor: false,
    send: () => undefined,
    load: () => {
      try {
        return { theme: localStorage.getItem(storageKey) ?? "" };
      } catch {
        return {}; // storage may be switched off
      }
    },
    save: (state) => {
      try {
        localStorage.setItem(storageKey, state.theme ?? "");
      } catch {
        // the theme is then not remembered
      }
    },
    deliver: async (format, content, fileName) => {
      if (format === "text")
        return (await copy(content)) ? "Steps copied as text." : "The browser does not allow copying.";
      download(format, content, fileName);
      return `Saved as ${fileName}.`;
    },
  };
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way in a page that may not use the clipboard
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

const mimeTypes = { svg: "image/svg+xml", dot: "text/vnd.graphviz", json: "application/json" };

function download(format: "svg" | "png" | "dot" | "json", content: string, fileName: string): void {
  const url = format === "png" ? content : URL.createObjectURL(new Blob([content], { type: mimeTypes[format] }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  if (format !== "png") URL.revokeObjectURL(url);
}

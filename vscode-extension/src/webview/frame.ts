// Runs in the panel before the page. The page keeps its own state (step, view) with setState; this adds the document the
// panel is about, which a panel restored after a reload must know, and tells the extension what the page shows.
export {};

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare const acquireVsCodeApi: () => VsCodeApi;

const api = acquireVsCodeApi(); // can be called only once: the page gets the one below
const uri = document.documentElement.dataset["document"] ?? "";
let page = (api.getState() as { page?: unknown } | undefined)?.page;
api.setState({ uri, page });

const forPage: VsCodeApi = {
  postMessage: (message) => api.postMessage(message),
  getState: () => page,
  setState: (state) => {
    page = state;
    api.setState({ uri, page });
    const { index, step } = state as { index?: number; step?: number };
    api.postMessage({ type: "at", index, step });
  },
};
(globalThis as unknown as { acquireVsCodeApi: () => VsCodeApi }).acquireVsCodeApi = () => forPage;

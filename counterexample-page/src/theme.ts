// The color theme, light or dark. It comes from the system, the user, or the editor, and is stored in the data-theme
// attribute of the document for the style sheet.
export type Theme = "auto" | "light" | "dark";
export const themes: readonly Theme[] = ["auto", "light", "dark"];

export function followTheme(inEditor: boolean, chosen: () => Theme): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const kind = inEditor ? editorTheme() : chosen() === "auto" ? (dark.matches ? "dark" : "light") : chosen();
    document.documentElement.dataset["theme"] = kind;
    document.documentElement.dataset["contrast"] = document.body.classList.contains("vscode-high-contrast")
      ? "more"
      : "normal";
  };
  dark.addEventListener("change", apply);
  if (inEditor) new MutationObserver(apply).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  apply();
  return apply;
}

function editorTheme(): "light" | "dark" {
  const { classList } = document.body;
  return classList.contains("vscode-light") || classList.contains("vscode-high-contrast-light") ? "light" : "dark";
}

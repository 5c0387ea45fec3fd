// Light or dark: as the system says, as the user says, or in an editor as its theme says. The answer is the attribute
// data-theme of the document, which the style sheet goes by.
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

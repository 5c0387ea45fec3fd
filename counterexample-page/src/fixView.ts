// FixView: the fences that prevent the bug, a preview of the changed text, and a button that applies them.
import { button, h } from "./dom";
import { cutsOf, linesOf, type Cut, type Fix } from "./fixes";
import type { StepSequence } from "./stepSequence";
import { capital, eventInWords } from "./words";

export class FixView {
  readonly element = h("section", { class: "fixes", "aria-label": "Fences", hidden: true });
  /// Opens and closes it; not there while there is nothing to show.
  readonly opener = button(
    "Add fences",
    { class: "fixes-opener", "aria-expanded": "false", hidden: true, title: "Verified fences that prevent this" },
    () => this.toggle(),
  );
  private sequence: StepSequence | undefined;
  private fixes: Fix[] = [];
  private chosen = 0;
  private open = false;

  /// `changed`: what it cuts is to be marked in the picture. Nothing is cut while it is closed.
  constructor(
    private readonly apply: (fix: Fix) => void,
    private readonly changed: (cuts: Cut[]) => void,
  ) {}

  show(sequence: StepSequence): void {
    this.sequence = sequence;
    this.draw();
  }

  offer(fixes: Fix[]): void {
    this.fixes = fixes;
    this.chosen = 0;
    this.open &&= fixes.length > 0;
    this.draw();
  }

  private toggle(): void {
    this.open = !this.open;
    this.draw();
  }

  private draw(): void {
    const { sequence } = this;
    const fix = this.fixes[this.chosen];
    this.opener.hidden = !fix;
    this.opener.setAttribute("aria-expanded", String(this.open));
    this.element.hidden = !this.open || !fix || !sequence;
    if (!sequence || !fix || !this.open) {
      this.element.replaceChildren();
      this.changed([]);
      return;
    }
    const cuts = cutsOf(sequence, fix);
    const note =
      cuts.length > 0
        ? h("p", { class: "cut-note" }, "Dashed in the picture: the part of the cycle that these fences cut.")
        : "";
    this.element.replaceChildren(this.choice(), this.list(sequence, fix, cuts), note, this.preview(fix));
    this.changed(cuts);
  }

  private choice(): HTMLElement {
    const group = h("div", { class: "fix-choice", role: "radiogroup", "aria-label": "Fixes" });
    this.fixes.forEach((fix, i) => {
      const radio = h("input", { type: "radio", name: "fix", value: i, checked: i === this.chosen });
      radio.addEventListener("change", () => {
        this.chosen = i;
        this.draw();
        this.element.querySelector<HTMLInputElement>("input:checked")?.focus();
      });
      group.append(h("label", {}, radio, fix.title));
    });
    const apply = button("Apply", { class: "apply" }, () => this.apply(this.fixes[this.chosen]!));
    return h("div", { class: "fix-head" }, group, apply);
  }

  private list(sequence: StepSequence, fix: Fix, cuts: readonly Cut[]): HTMLElement {
    const list = h("ol", { class: "fix-changes" });
    fix.changes.forEach((change, i) => {
      const item = h("li", {}, capital(change.text));
      for (const { first, second } of cuts.filter(({ changes }) => changes.includes(i)))
        item.append(
          h(
            "span",
            { class: "cut-words" },
            ` keeps ${eventInWords(sequence, first)} before ${eventInWords(sequence, second)}`,
          ),
        );
      list.append(item);
    });
    return list;
  }

  private preview(fix: Fix): HTMLElement {
    const body = h("tbody");
    for (const { kind, text, line } of linesOf(fix.diff)) {
      const sign = { same: "", added: "+", removed: "\u2212", gap: "" }[kind];
      const number = kind === "added" || kind === "gap" ? "" : String(line ?? "");
      body.append(
        h(
          "tr",
          { class: kind },
          h("td", { class: "line" }, number),
          h("td", { class: "sign" }, sign),
          h("td", { class: "code" }, kind === "gap" ? "\u22ef" : h("code", {}, text)),
        ),
      );
    }
    return h(
      "div",
      { class: "fix-preview", tabindex: "0", role: "region", "aria-label": "The text with the fences" },
      h("table", {}, body),
    );
  }
}

// StepsView: the table of steps, with a row per step and a column per thread.
import { breakable, h, rich } from "./dom";
import type { StepSequence } from "./stepSequence";

// Of a thread's column, and of the numbers beside all of them, in pixels. Text wraps in narrow columns.
const [narrowest, numbersWidth] = [95, 52];

export class StepsView {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private rows: HTMLTableRowElement[] = [];
  private current = -1;

  constructor(private readonly select: (step: number) => void) {
    this.scroller = h("div", { class: "steps-scroll", role: "region", "aria-label": "Table of steps", tabindex: "0" });
    this.element = this.scroller;
    // Another size, also because the state below it needs more room, must not hide the current step.
    new ResizeObserver(() => this.scrollToCurrent()).observe(this.scroller);
  }

  /// Below this the table is scrolled sideways.
  static leastWidth(threads: number): number {
    return narrowest * threads + numbersWidth;
  }

  show(sequence: StepSequence): void {
    const head = h("tr", {}, h("th", { scope: "col", class: "number" }, "Step"));
    for (const thread of sequence.threads) head.append(h("th", { scope: "col" }, sequence.threadName(thread)));
    const body = h("tbody");
    this.rows = [];
    this.current = -1;
    for (let i = 0; i < sequence.length; i++) {
      const row = this.makeRow(sequence, i);
      if (i > 0 && sequence.eventOfStep(i).thread !== sequence.eventOfStep(i - 1).thread) row.classList.add("switch");
      this.rows.push(row);
      body.append(row);
    }
    const caption = h("caption", { class: "hidden-text" }, "What each thread did, in order");
    const table = h("table", { class: "steps" }, caption, this.columns(sequence), h("thead", {}, head), body);
    table.style.minWidth = `${StepsView.leastWidth(sequence.threads.length)}px`;
    this.scroller.replaceChildren(table);
    this.scroller.scrollTop = 0;
  }

  /// A thread that does little gets a narrower column.
  private columns(sequence: StepSequence): HTMLTableColElement {
    const numbers = h("col");
    numbers.style.width = `${3 + 0.6 * String(sequence.length).length}em`;
    const group = h("colgroup", {}, numbers);
    const weights = sequence.threads.map(
      (thread) =>
        0.8 +
        sequence.data.steps.filter((step) => sequence.event(step.event).thread === thread).length / sequence.length,
    );
    const total = weights.reduce((a, b) => a + b, 0);
    for (const weight of weights) {
      const column = h("col");
      column.style.width = `${(100 * weight) / total}%`;
      group.append(column);
    }
    return group;
  }

  private makeRow(sequence: StepSequence, index: number): HTMLTableRowElement {
    const step = sequence.step(index);
    const event = sequence.eventOfStep(index);
    const number = h(
      "button",
      { type: "button", tabindex: "-1", "aria-label": `Step ${index + 1}` },
      String(index + 1),
    );
    const mark = h("span", { class: "mark", "aria-hidden": "true" }, step.strange ? "!" : "");
    const row = h(
      "tr",
      { class: step.strange ? "out-of-order" : "" },
      h("th", { scope: "row", class: "number" }, mark, number),
    );
    for (const thread of sequence.threads)
      row.append(thread === event.thread ? this.makeCell(sequence, index) : h("td"));
    row.addEventListener("click", () => this.select(index));
    return row;
  }

  private makeCell(sequence: StepSequence, index: number): HTMLTableCellElement {
    const step = sequence.step(index);
    const event = sequence.eventOfStep(index);
    const cell = h("td", { class: `does ${event.kind}` });
    const source = sequence.sourceLine(event);
    if (source || event.line) {
      const elsewhere =
        event.file !== sequence.data.file && event.file ? `${sequence.placeText(event)} ` : `${event.line} `;
      cell.append(
        h("div", { class: "source" }, h("span", { class: "line" }, elsewhere), h("code", {}, ...breakable(source))),
      );
    }
    cell.append(h("div", { class: "text" }, ...rich(step.text)));
    if (step.remark)
      cell.append(
        h("div", { class: "remark" }, h("span", { class: "hidden-text" }, "Out of order: "), ...rich(step.remark)),
      );
    return cell;
  }

  moveTo(step: number): void {
    const old = this.rows[this.current];
    old?.removeAttribute("aria-current");
    old?.querySelector("button")?.setAttribute("tabindex", "-1");
    const hadFocus = old?.contains(document.activeElement);
    const [from, to] =
      this.current < 0 ? [0, this.rows.length] : [Math.min(step, this.current), Math.max(step, this.current) + 1];
    for (let i = from; i < to; i++) this.rows[i]?.classList.toggle("later", i > step);
    this.current = step;
    const row = this.rows[step];
    if (!row) return;
    row.setAttribute("aria-current", "step");
    const number = row.querySelector("button");
    number?.setAttribute("tabindex", "0");
    if (hadFocus) number?.focus({ preventScroll: true });
    this.scrollToCurrent();
  }

  /// Keeps one row above and below in sight. scrollIntoView would also move the whole page in a narrow window.
  private scrollToCurrent(): void {
    const row = this.rows[this.current];
    if (!row) return;
    const header = this.scroller.querySelector("thead")?.offsetHeight ?? 0;
    const margin = 24;
    const top = row.offsetTop - header - margin;
    const bottom = row.offsetTop + row.offsetHeight + margin - this.scroller.clientHeight;
    if (this.scroller.scrollTop > top) this.scroller.scrollTop = top;
    else if (this.scroller.scrollTop < bottom) this.scroller.scrollTop = Math.min(bottom, top);
  }
}

// The steps as a table: a row per step, a column per thread.
import { breakable, h, rich } from "./dom";
import type { Telling } from "./telling";

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

  show(telling: Telling): void {
    const head = h("tr", {}, h("th", { scope: "col", class: "number" }, "Step"));
    for (const thread of telling.threads) head.append(h("th", { scope: "col" }, telling.threadName(thread)));
    const body = h("tbody");
    this.rows = [];
    this.current = -1;
    for (let i = 0; i < telling.length; i++) {
      const row = this.makeRow(telling, i);
      if (i > 0 && telling.eventOfStep(i).thread !== telling.eventOfStep(i - 1).thread) row.classList.add("switch");
      this.rows.push(row);
      body.append(row);
    }
    const caption = h("caption", { class: "hidden-text" }, "What each thread did, in order");
    const table = h("table", { class: "steps" }, caption, this.columns(telling), h("thead", {}, head), body);
    table.style.minWidth = `${StepsView.leastWidth(telling.threads.length)}px`;
    this.scroller.replaceChildren(table);
    this.scroller.scrollTop = 0;
  }

  /// A thread that does little gets a narrower column.
  private columns(telling: Telling): HTMLTableColElement {
    const numbers = h("col");
    numbers.style.width = `${3 + 0.6 * String(telling.length).length}em`;
    const group = h("colgroup", {}, numbers);
    const weights = telling.threads.map(
      (thread) =>
        0.8 + telling.data.steps.filter((step) => telling.event(step.event).thread === thread).length / telling.length,
    );
    const total = weights.reduce((a, b) => a + b, 0);
    for (const weight of weights) {
      const column = h("col");
      column.style.width = `${(100 * weight) / total}%`;
      group.append(column);
    }
    return group;
  }

  private makeRow(telling: Telling, index: number): HTMLTableRowElement {
    const step = telling.step(index);
    const event = telling.eventOfStep(index);
    const number = h(
      "button",
      { type: "button", tabindex: "-1", "aria-label": `Step ${index + 1}` },
      String(index + 1),
    );
    const mark = h("span", { class: "mark", "aria-hidden": "true" }, step.strange ? "!" : "");
    const row = h(
      "tr",
      { class: step.strange ? "strange" : "" },
      h("th", { scope: "row", class: "number" }, mark, number),
    );
    for (const thread of telling.threads) row.append(thread === event.thread ? this.makeCell(telling, index) : h("td"));
    row.addEventListener("click", () => this.select(index));
    return row;
  }

  private makeCell(telling: Telling, index: number): HTMLTableCellElement {
    const step = telling.step(index);
    const event = telling.eventOfStep(index);
    const cell = h("td", { class: `does ${event.kind}` });
    const source = telling.sourceLine(event);
    if (source || event.line) {
      const elsewhere =
        event.file !== telling.data.file && event.file ? `${telling.placeText(event)} ` : `${event.line} `;
      cell.append(
        h("div", { class: "source" }, h("span", { class: "line" }, elsewhere), h("code", {}, ...breakable(source))),
      );
    }
    cell.append(h("div", { class: "text" }, ...rich(step.text)));
    if (step.remark)
      cell.append(
        h("div", { class: "remark" }, h("span", { class: "hidden-text" }, "Strange: "), ...rich(step.remark)),
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

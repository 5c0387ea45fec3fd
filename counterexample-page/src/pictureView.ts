// PictureView: shows the picture in two views, highlights the step, zooms, pans, and handles clicks on boxes.
import type { View } from "./data";
import { button, h, iconButton, rich } from "./dom";
import { isCut, type Cut } from "./fixes";
import { makeLegend } from "./legend";
import { measure, type Picture, readPicture } from "./picture";
import type { StepSequence } from "./stepSequence";
import { type Box, Viewport } from "./viewport";
import { conclusions, edgeInWords, plural, stepInWords, viewNames } from "./words";

const views: View[] = ["chronological", "shashaSnir"];
const zoomStep = 1.25;
const dragThreshold = 4;

export class PictureView {
  readonly element: HTMLElement;
  picture: Picture | undefined;
  view: View = "chronological";
  private sequence: StepSequence | undefined;
  private pictures = new Map<string, Picture | undefined>(); // by view, and whether unfolded
  private unfolded = false;
  private step = 0;
  private cuts: Cut[] = [];
  private readonly viewport = new Viewport({ width: 1, height: 1 }, { x: 0, y: 0, width: 1, height: 1 });
  /// What a resize keeps: the readable part, the whole picture, or what the user has zoomed and panned to.
  private keeps: "readable" | "whole" | "place" = "readable";
  private readonly canvas = h("div", { class: "canvas", tabindex: "0", role: "group" });
  private readonly summary = h("p", { class: "hidden-text", id: "picture-summary" });
  private readonly legend = h("div", { class: "legend-place" });
  private readonly words = h("div", { class: "cycle-place" });
  private readonly notice = h("p", { class: "notice", role: "status" });
  private readonly tooltip = h("div", { class: "tooltip", role: "tooltip", hidden: true });
  private readonly percent = h("output", { class: "percent", "aria-label": "Zoom" });
  private readonly switches = new Map<View, HTMLButtonElement>();
  private readonly unfold = button("Unfold", { "aria-pressed": "false", title: "Draw every event (u)" }, () =>
    this.toggleUnfolded(),
  );

  constructor(
    private readonly select: (step: number) => void,
    private readonly viewChanged: () => void,
  ) {
    const choice = h("div", { class: "segmented", role: "group", "aria-label": "View of the picture" });
    for (const view of views) {
      const choose = button(viewNames[view], { "aria-pressed": "false" }, () => this.choose(view));
      this.switches.set(view, choose);
      choice.append(choose);
    }
    const zooming = h(
      "div",
      { class: "zooming", role: "group", "aria-label": "Zoom" },
      this.unfold,
      iconButton("M3 8h10", "Zoom out", {}, () => this.zoom(1 / zoomStep)),
      this.percent,
      iconButton("M3 8h10M8 3v10", "Zoom in", {}, () => this.zoom(zoomStep)),
      button("Fit", { title: "Show the whole picture (0)" }, () => this.fit()),
    );
    this.canvas.setAttribute("aria-label", "Picture of the execution");
    this.canvas.setAttribute("aria-describedby", this.summary.id);
    this.element = h(
      "section",
      { class: "picture", "aria-label": "Picture" },
      h("div", { class: "toolbar" }, choice, zooming),
      h("div", { class: "canvas-place" }, this.canvas, this.tooltip, this.notice),
      this.summary,
      this.legend,
      this.words,
    );
    this.listen();
  }

  show(sequence: StepSequence, view: View): void {
    this.sequence = sequence;
    this.pictures.clear();
    this.step = 0;
    this.cuts = [];
    for (const [name, choose] of this.switches) choose.disabled = !sequence.data[name];
    this.words.replaceChildren(...cycleInWords(sequence, []));
    this.setView(sequence.data[view] ? view : sequence.data.chronological ? "chronological" : "shashaSnir");
  }

  /// Marks what fences would prevent.
  cut(cuts: Cut[]): void {
    if (!this.sequence || (cuts.length === 0 && this.cuts.length === 0)) return;
    this.cuts = cuts;
    const open = this.words.querySelector("details")?.open ?? false;
    this.words.replaceChildren(...cycleInWords(this.sequence, cuts));
    if (open) this.words.querySelector("details")!.open = true;
    if (this.picture) this.mark();
  }

  choose(view: View): void {
    if (view === this.view || !this.sequence?.data[view]) return;
    this.setView(view);
    this.viewChanged();
  }

  toggleView(): void {
    this.choose(this.view === "chronological" ? "shashaSnir" : "chronological");
  }

  /// Draws every event, or again only those that matter.
  toggleUnfolded(): void {
    if (!this.sequence || this.unfold.hidden) return;
    this.unfolded = !this.unfolded;
    const step = this.step;
    this.setView(this.view);
    this.moveTo(step);
  }

  private setView(view: View): void {
    const sequence = this.sequence!;
    this.view = view;
    for (const [name, choose] of this.switches) choose.setAttribute("aria-pressed", String(name === view));
    this.unfold.hidden = !sequence.data[view]?.unfoldedSvg;
    const unfolded = this.unfolded && !this.unfold.hidden;
    this.unfold.setAttribute("aria-pressed", String(unfolded));
    const key = `${view} ${unfolded}`;
    if (!this.pictures.has(key)) this.pictures.set(key, readPicture(sequence, sequence.data[view], unfolded));
    this.picture = this.pictures.get(key);
    this.notice.textContent = "";
    this.tooltip.hidden = true;
    if (!this.picture) {
      this.canvas.replaceChildren(
        h("p", { class: "no-picture" }, "There is no picture of this execution. Its graph can be exported as DOT."),
      );
      this.legend.replaceChildren();
      this.summary.textContent = "There is no picture.";
      return;
    }
    this.picture.root.classList.add("picture-svg");
    this.picture.root.setAttribute("role", "img");
    this.picture.root.setAttribute("aria-labelledby", this.summary.id);
    this.canvas.replaceChildren(this.picture.root);
    measure(this.picture);
    this.legend.replaceChildren(makeLegend(this.picture, sequence.hasBuffers));
    const graph = sequence.data[view]!;
    this.summary.textContent =
      `${viewNames[view]} picture with ${plural(graph.nodes.length, "event")} and ${plural(graph.edges.length, "edge")}. ` +
      "Each event is a step of the table; the cycle is explained in words below the picture.";
    this.keeps = "readable";
    this.mark();
    this.resize();
  }

  moveTo(step: number): void {
    this.step = step;
    this.notice.textContent = "";
    if (!this.picture) return;
    const lit = this.mark();
    if (lit) {
      this.viewport.reveal(this.boundsOf(lit));
      this.apply();
    }
  }

  /// Sets the classes current, later, waiting and near; gives back the lit box.
  private mark(): SVGGElement | undefined {
    const { nodes, boxes, arrows } = this.picture!;
    const sequence = this.sequence!;
    const lit = nodes.boxOf(sequence.step(this.step).event);
    const waiting = sequence.waiting(this.step);
    const done = (event: number) => (sequence.stepOfEvent(event) ?? Infinity) <= this.step;
    for (const [id, element] of boxes) {
      const events = nodes.eventsOf(id);
      element.classList.toggle("current", id === lit);
      element.classList.toggle("later", !events.some(done));
      element.classList.toggle(
        "waiting",
        events.some((event) => waiting.has(event)),
      );
    }
    for (const { element, edge } of arrows) {
      element.classList.toggle("later", !done(edge.from) || !done(edge.to));
      element.classList.toggle("cut", element.classList.contains("cycle") && isCut(sequence, edge, this.cuts));
      element.classList.toggle(
        "near",
        lit !== undefined && (nodes.boxOf(edge.from) === lit || nodes.boxOf(edge.to) === lit),
      );
    }
    return lit === undefined ? undefined : boxes.get(lit);
  }

  zoom(factor: number, x?: number, y?: number): void {
    if (!this.picture) return;
    this.keeps = "place";
    this.viewport.zoom(factor, x, y);
    this.apply();
  }

  fit(): void {
    if (!this.picture) return;
    this.keeps = "whole";
    this.viewport.fit();
    this.apply();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.picture || !width || !height) return;
    this.viewport.picture = this.picture;
    this.viewport.resize({ width, height });
    if (this.keeps === "whole") this.viewport.fit();
    if (this.keeps === "readable") {
      // The viewBox must be set before the lit box can be measured.
      this.viewport.open();
      this.apply();
      const lit = this.mark();
      if (lit) this.viewport.reveal(this.boundsOf(lit));
    }
    this.apply();
  }

  private apply(): void {
    this.picture?.root.setAttribute("viewBox", this.viewport.viewBox);
    this.percent.textContent = `${Math.round(this.viewport.scale * 100)} %`;
  }

  /// In the picture's own units.
  private boundsOf(element: SVGGElement): Box {
    const box = element.getBoundingClientRect();
    const canvas = this.canvas.getBoundingClientRect();
    const { x, y, scale } = this.viewport;
    return {
      x: x + (box.x - canvas.x - this.canvas.clientLeft) / scale,
      y: y + (box.y - canvas.y - this.canvas.clientTop) / scale,
      width: box.width / scale,
      height: box.height / scale,
    };
  }

  private boxAt(target: EventTarget | null): string | undefined {
    const group = target instanceof Element ? target.closest("g.node") : null;
    return group && this.picture?.boxes.has(group.id) ? group.id : undefined;
  }

  private listen(): void {
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        // Below the steps, in a narrow window, the wheel scrolls the page.
        if (!this.picture || (isStacked() && !event.ctrlKey)) return;
        event.preventDefault();
        const box = this.canvas.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.x, event.clientY - box.y);
      },
      { passive: false },
    );

    let drag: { x: number; y: number; id: string | undefined; panning: boolean } | undefined;
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button === 0)
        drag = { x: event.clientX, y: event.clientY, id: this.boxAt(event.target), panning: false };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        this.hover(event);
        return;
      }
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.panning && Math.hypot(dx, dy) < dragThreshold) return;
      if (!drag.panning) {
        drag.panning = true;
        this.keeps = "place";
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.classList.add("panning");
        this.tooltip.hidden = true;
      }
      this.viewport.pan(dx, dy);
      this.apply();
      [drag.x, drag.y] = [event.clientX, event.clientY];
    });
    this.canvas.addEventListener("pointerup", () => {
      if (drag && !drag.panning && drag.id) this.clickBox(drag.id);
    });
    for (const end of ["pointerup", "pointercancel"])
      this.canvas.addEventListener(end, () => {
        drag = undefined;
        this.canvas.classList.remove("panning");
      });
    this.canvas.addEventListener("pointerleave", () => (this.tooltip.hidden = true));
  }

  /// Escape puts the tooltip away; true if there was one.
  hideTooltip(): boolean {
    const shown = !this.tooltip.hidden;
    this.tooltip.hidden = true;
    return shown;
  }

  private clickBox(id: string): void {
    const nodes = this.picture!.nodes;
    const step = nodes.stepFor(id, this.step);
    if (step !== undefined) this.select(step);
    if (id.startsWith("fold-")) this.notice.textContent = this.foldText(id);
  }

  private foldText(id: string): string {
    const nodes = this.picture!.nodes;
    const steps = nodes.stepsOf(id).map((step) => step + 1);
    const range =
      steps.length === 0 ? "" : steps.length === 1 ? `: step ${steps[0]}` : `: steps ${steps[0]} to ${steps.at(-1)}`;
    const more = this.unfold.hidden ? "" : " Unfold draws them all.";
    return `This box stands for ${plural(nodes.eventsOf(id).length, "event")}${range}.${more}`;
  }

  private hover(event: PointerEvent): void {
    const id = this.boxAt(event.target);
    this.tooltip.hidden = id === undefined;
    if (id === undefined) return;
    const steps = this.picture!.nodes.stepsOf(id);
    const text = id.startsWith("fold-")
      ? this.foldText(id)
      : steps[0] === undefined
        ? "This event is not a step of the table."
        : stepInWords(this.sequence!, steps[0]);
    if (this.tooltip.textContent !== text) this.tooltip.textContent = text;
    const place = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - place.x, event.clientY - place.y];
    const left = Math.min(x + 14, place.width - this.tooltip.offsetWidth - 6);
    const below = y + 18 + this.tooltip.offsetHeight < place.height;
    this.tooltip.style.left = `${Math.max(6, left)}px`;
    this.tooltip.style.top = `${below ? y + 18 : Math.max(6, y - this.tooltip.offsetHeight - 10)}px`;
  }
}

export function isStacked(): boolean {
  return matchMedia("(max-width: 699px)").matches;
}

function cycleInWords(sequence: StepSequence, cuts: readonly Cut[]): HTMLElement[] {
  const { edges } = sequence.data.cycle;
  if (!edges.length) return [];
  const list = h("ol", {});
  for (const edge of edges) {
    const item = h("li", {}, ...rich(edgeInWords(sequence, edge)));
    if (isCut(sequence, edge, cuts))
      item.append(h("span", { class: "cut-words" }, " Cut: a fence makes this order count."));
    list.append(item);
  }
  const details = h("details", { class: "cycle-words" }, h("summary", {}, "Explain the cycle"), list);
  for (const conclusion of conclusions(sequence)) details.append(h("p", {}, ...rich(conclusion)));
  return [details];
}

// Page: creates the views and keeps them at the same step.
import { readCounterexamples, type Counterexample, type View } from "./data";
import { button, h, iconButton, rich } from "./dom";
import { standalonePng, standaloneSvg } from "./exports";
import { readFixes } from "./fixes";
import { FixView } from "./fixView";
import { findHost, type ExportFormat, type FromHost } from "./host";
import { PictureView } from "./pictureView";
import { makeSplitter } from "./splitter";
import { StateView } from "./stateView";
import { StepsView } from "./stepsView";
import { baseName, StepSequence } from "./stepSequence";
import { followTheme, themes, type Theme } from "./theme";
import { asText, capital, modelAndTarget, modelName, placeOf, stepInWords } from "./words";

const keysHelp: [string, string][] = [
  ["\u2193 or j", "next step"],
  ["\u2191 or k", "previous step"],
  ["Home, End", "first, last step"],
  ["n, p", "next, previous out-of-order step"],
  ["v", "other view of the picture"],
  ["u", "show all events in the picture, or only the relevant ones"],
  ["+ and -", "zoom"],
  ["0", "show the whole picture"],
];

class Page {
  private readonly host = findHost();
  private readonly root =
    document.getElementById("picket-page") ?? document.body.appendChild(h("div", { id: "picket-page" }));
  private readonly steps = new StepsView((step) => this.select(step));
  private readonly state = new StateView();
  private readonly picture = new PictureView(
    (step) => this.select(step),
    () => this.save(),
  );
  private readonly fixes = new FixView(
    (fix) => this.host.send({ type: "applyFix", id: fix.id }),
    (cuts) => this.picture.cut(cuts),
  );
  private readonly live = h("div", { class: "hidden-text", "aria-live": "polite", id: "announcement" });
  private readonly slider = h("input", { type: "range", min: "1", "aria-label": "Step", class: "slider" });
  private readonly counter = h("output", { class: "counter" });
  private readonly top = h("div", { class: "top" });
  private readonly toast = h("div", { class: "toast", role: "status" });
  private readonly stale = h("p", { class: "stale", role: "status" });
  private readonly themeButton = button("", { class: "theme" }, () => this.nextTheme());
  private readonly back: HTMLButtonElement[];
  private readonly forward: HTMLButtonElement[];
  private readonly outOfOrderButton = button("Next out-of-order step", { title: "n" }, () =>
    this.goToOutOfOrder(1, true),
  );
  private all: Counterexample[] = [];
  private index = 0;
  private sequence: StepSequence | undefined;
  private step = 0;
  private theme: Theme;
  private toastTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly applyTheme: () => void;

  constructor() {
    const saved = this.host.load();
    this.theme = themes.find((theme) => theme === saved.theme) ?? "auto";
    this.applyTheme = followTheme(this.host.inEditor, () => this.theme);
    this.back = [
      iconButton("M4 3v10M12 3l-6 5 6 5", "First step", {}, () => this.select(0)),
      iconButton("M10.5 3l-6 5 6 5", "Step back", {}, () => this.select(this.step - 1)),
    ];
    this.forward = [
      iconButton("M5.5 3l6 5-6 5", "Step forward", {}, () => this.select(this.step + 1)),
      iconButton("M12 3v10M4 3l6 5-6 5", "Last step", {}, () => this.select(Infinity)),
    ];
    this.slider.addEventListener("input", () => this.select(Number(this.slider.value) - 1));
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("message", (event: MessageEvent<unknown>) =>
      this.receive(event.data as FromHost | undefined),
    );
    window.addEventListener("hashchange", () => this.readHash());

    const data = document.getElementById("counterexample")?.textContent;
    if (data) this.open(() => JSON.parse(data) as unknown);
    else this.say(this.host.inEditor ? "Waiting for a counterexample." : "This page holds no counterexample.");
    this.host.send({ type: "ready" });
  }

  private receive(message: FromHost | undefined): void {
    if (message?.type === "counterexample") this.open(() => message.data, message.index);
    else if (message?.type === "fixes") this.fixes.offer(readFixes(message.fixes));
    else if (message?.type === "stale") {
      this.stale.textContent = "The file has changed; this counterexample is out of date.";
      this.fixes.offer([]);
    } else if (message?.type === "reveal" && this.sequence) {
      const step = this.sequence.stepAtLine(message.file, message.line, this.step);
      // Not told to the host: it knows, and would send the next one.
      if (step !== undefined && this.sequence.eventOfStep(this.step).line !== message.line) this.moveTo(step);
    }
  }

  /// `index`: with which of several to begin. Without it: with the one that was shown last.
  private open(read: () => unknown, index?: number): void {
    try {
      this.all = readCounterexamples(read());
    } catch (error) {
      this.sequence = undefined;
      this.say(`The counterexample cannot be shown. ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    this.stale.textContent = "";
    this.build();
    const saved = this.host.load();
    const begin = [index, saved.index].find((one) => one !== undefined && this.all[one]) ?? 0;
    this.show(begin, saved.view === "shashaSnir" ? "shashaSnir" : "chronological");
    if (saved.key === this.sequence?.key && saved.step !== undefined) this.moveTo(saved.step);
    this.readHash();
  }

  private say(text: string): void {
    this.root.replaceChildren(h("p", { class: "message", role: "status" }, text));
  }

  private build(): void {
    const controls = h(
      "div",
      { class: "toolbar controls", role: "group", "aria-label": "Stepping" },
      ...this.back,
      ...this.forward,
      this.slider,
      this.counter,
      this.outOfOrderButton,
    );
    const left = h(
      "section",
      { class: "left", "aria-label": "Steps" },
      controls,
      this.steps.element,
      this.state.element,
    );
    const halves = h("main", {}, left);
    halves.append(
      makeSplitter(halves, (width) => this.shareOfSteps(width)),
      this.picture.element,
    );
    this.root.replaceChildren(h("header", {}, this.top, this.stale, this.fixes.element), halves, this.live, this.toast);
  }

  /// Per cent of a width: more for more threads, and enough for all of their columns if there is room beside them.
  private shareOfSteps(width: number): number {
    const threads = Math.max(...this.all.map((data) => new StepSequence(data).threads.length));
    const needed = (100 * StepsView.leastWidth(threads)) / width;
    return Math.min(62, Math.max(40 + 2.5 * threads, needed));
  }

  private show(index: number, view: View): void {
    this.index = index;
    const data = this.all[index]!;
    const sequence = (this.sequence = new StepSequence(data));
    document.title = `${baseName(data.file)}: ${findingKind(data)} under ${modelName(data)}`;
    this.top.replaceChildren(...this.heading(data));
    this.slider.max = String(Math.max(1, sequence.length));
    this.outOfOrderButton.hidden = sequence.outOfOrderCount === 0;
    this.steps.show(sequence);
    if (sequence.length === 0) {
      this.say("The counterexample has no steps.");
      return;
    }
    this.picture.show(sequence, view);
    this.fixes.show(sequence);
    this.moveTo(0);
  }

  private heading(data: Counterexample): HTMLElement[] {
    const { kind } = data.bug;
    const message = !kind
      ? "reordering witness: nothing fails, but the program is not robust"
      : data.bug.message.toLowerCase().includes(kind.toLowerCase())
        ? data.bug.message
        : `${kind}: ${data.bug.message}`;
    const where = placeOf(data.bug.file || data.file, data.bug.line, data.bug.column);
    const bug = h(
      "p",
      { class: "finding" },
      h("span", { class: "kind", "aria-hidden": "true" }, "\u2717"),
      " ",
      h("span", { class: "bug-message" }, ...rich(message)),
      " ",
      h("span", { class: "place" }, data.bug.thread ? `${where}, in thread ${data.bug.thread}` : where),
    );
    const name = h("span", { class: "file" }, baseName(data.file));
    const badge = h(
      "span",
      { class: "model", title: data.host ? "Memory model, and what the program was compiled for" : "Memory model" },
      modelAndTarget(data),
    );
    const bar = h(
      "div",
      { class: "bar" },
      h("div", { class: "what" }, name, badge),
      this.switcher(),
      this.fixes.opener,
      this.tools(),
    );
    return [bar, h("h1", {}, ...rich(data.sentence || capital(data.bug.message))), bug];
  }

  private switcher(): HTMLElement {
    const place = h("nav", { class: "switcher", "aria-label": "Counterexamples" });
    if (this.all.length < 2) return place;
    if (this.all.length > 4) {
      const select = h("select", { "aria-label": "Counterexample" });
      this.all.forEach((data, i) =>
        select.append(h("option", { value: i, selected: i === this.index }, shortName(data))),
      );
      select.addEventListener("change", () => this.switchTo(Number(select.value)));
      place.append(select);
      return place;
    }
    const group = h("div", { class: "segmented" });
    this.all.forEach((data, i) =>
      group.append(button(shortName(data), { "aria-pressed": String(i === this.index) }, () => this.switchTo(i))),
    );
    place.append(group);
    return place;
  }

  private switchTo(index: number): void {
    if (index === this.index) return;
    this.show(index, this.picture.view);
    this.top.querySelector<HTMLElement>('.switcher [aria-pressed="true"], .switcher select')?.focus();
    this.host.send({ type: "model", model: this.all[index]!.model });
    this.save();
  }

  private tools(): HTMLElement {
    const save = h(
      "div",
      { class: "exports", role: "group", "aria-label": "Export" },
      h("span", { class: "label", "aria-hidden": "true" }, "Export"),
    );
    for (const format of ["svg", "png", "dot", "json"] as const)
      save.append(
        button(
          format.toUpperCase(),
          { "aria-label": `Export ${format.toUpperCase()}` },
          () => void this.export(format),
        ),
      );
    const text = button("Copy as text", {}, () => void this.export("text"));
    const keys = h("dl", {});
    for (const [key, what] of keysHelp) keys.append(h("dt", {}, h("kbd", {}, key)), h("dd", {}, what));
    const help = h("details", { class: "keys" }, h("summary", {}, "Keys"), keys);
    this.showTheme();
    return h("div", { class: "tools" }, save, text, help, ...(this.host.inEditor ? [] : [this.themeButton]));
  }

  private showTheme(): void {
    const name = { auto: "automatic", light: "light", dark: "dark" }[this.theme];
    this.themeButton.textContent = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[this.theme];
    this.themeButton.setAttribute("aria-label", `Theme: ${name}`);
  }

  private nextTheme(): void {
    this.theme = themes[(themes.indexOf(this.theme) + 1) % themes.length]!;
    this.showTheme();
    this.applyTheme();
    this.save();
  }

  private select(step: number): void {
    if (!this.sequence) return;
    this.moveTo(step);
    const event = this.sequence.step(this.step).event;
    const { file, line, column } = this.sequence.event(event);
    this.host.send({ type: "select", event, file, line, column });
  }

  private moveTo(step: number): void {
    const sequence = this.sequence;
    if (!sequence) return;
    this.step = Math.max(0, Math.min(sequence.length - 1, step));
    this.steps.moveTo(this.step);
    this.state.show(sequence, this.step);
    this.picture.moveTo(this.step);
    this.slider.value = String(this.step + 1);
    this.slider.setAttribute("aria-valuetext", `Step ${this.step + 1} of ${sequence.length}`);
    this.counter.textContent = `${this.step + 1} of ${sequence.length}`;
    for (const one of this.back) setOff(one, this.step === 0);
    for (const one of this.forward) setOff(one, this.step === sequence.length - 1);
    this.live.textContent = stepInWords(sequence, this.step);
    this.save();
  }

  private goToOutOfOrder(direction: 1 | -1, around: boolean): void {
    const next =
      this.sequence?.nextOutOfOrder(this.step, direction) ??
      (around ? this.sequence?.nextOutOfOrder(-1, 1) : undefined);
    if (next !== undefined) this.select(next);
  }

  /// The address may say where to begin: #step=5&view=shashaSnir
  private readHash(): void {
    const hash = new URLSearchParams(location.hash.slice(1));
    if (!this.sequence) return;
    const index = Number(hash.get("counterexample") ?? NaN) - 1;
    if (this.all[index] && index !== this.index) this.show(index, this.picture.view);
    const view = hash.get("view");
    if (view === "shashaSnir" || view === "chronological") this.picture.choose(view);
    const step = Number(hash.get("step") ?? NaN);
    if (Number.isFinite(step)) this.moveTo(step - 1);
  }

  private save(): void {
    this.host.save({
      index: this.index,
      step: this.step,
      view: this.picture.view,
      theme: this.theme,
      ...(this.sequence ? { key: this.sequence.key } : {}),
    });
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.sequence) return;
    const target = event.target;
    if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
    const actions: Record<string, () => unknown> = {
      ArrowDown: () => this.select(this.step + 1),
      j: () => this.select(this.step + 1),
      ArrowUp: () => this.select(this.step - 1),
      k: () => this.select(this.step - 1),
      Home: () => this.select(0),
      End: () => this.select(Infinity),
      n: () => this.goToOutOfOrder(1, false),
      p: () => this.goToOutOfOrder(-1, false),
      v: () => this.picture.toggleView(),
      u: () => this.picture.toggleUnfolded(),
      "+": () => this.picture.zoom(1.25),
      "=": () => this.picture.zoom(1.25),
      "-": () => this.picture.zoom(0.8),
      "0": () => this.picture.fit(),
      Escape: () => this.escape(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private escape(): void {
    if (!this.picture.hideTooltip()) this.top.querySelector("details")?.removeAttribute("open");
  }

  private async export(format: ExportFormat): Promise<void> {
    const sequence = this.sequence;
    if (!sequence) return;
    const view = this.picture.view === "chronological" ? "-chronological" : "-shasha-snir";
    const name = `${baseName(sequence.data.file).replace(/\.\w+$/, "")}-${sequence.data.model}${format === "json" ? "" : view}.${format}`;
    try {
      const content = await this.content(format);
      if (content === undefined) this.tell("There is no picture to export.");
      else this.tell(await this.host.deliver(format, content, name));
    } catch {
      this.tell(`The ${format.toUpperCase()} could not be made.`);
    }
  }

  private tell(text: string): void {
    this.toast.textContent = text;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => (this.toast.textContent = ""), 4000);
  }

  private async content(format: ExportFormat): Promise<string | undefined> {
    const { picture, view } = this.picture;
    const data = this.sequence!.data;
    switch (format) {
      case "text":
        return asText(this.sequence!);
      case "json":
        return JSON.stringify(data, null, 2) + "\n";
      case "dot":
        return data[view]?.dot;
      case "svg":
        return picture && standaloneSvg(picture).text;
      case "png":
        return picture && standalonePng(picture);
    }
  }
}

/// The kind of bug. An execution without a bug shows that the program is not robust.
function findingKind(data: Counterexample): string {
  return data.bug.kind || "reordering witness";
}

function shortName(data: Counterexample): string {
  return `${modelName(data)}: ${findingKind(data)}${data.bug.line ? `, line ${data.bug.line}` : ""}`;
}

/// A disabled button keeps the focus, so that stepping to the end by keyboard does not lose it.
function setOff(element: HTMLButtonElement, off: boolean): void {
  element.setAttribute("aria-disabled", String(off));
}

new Page();

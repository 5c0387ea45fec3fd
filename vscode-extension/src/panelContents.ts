// The contents of a counterexample panel, and whether they are up to date with the text. Independent of VS Code.
import { type Counterexample, readCounterexample } from "./counterexample";
import { beginAt } from "./pageMessages";
import type { Status } from "./protocol";

/// What news of a document mean for its panel.
export type Task = "nothing" | "outdated" | "load";

export class PanelContents {
  private all: { data: unknown; read: Counterexample }[] = [];
  private resultShown = ""; // of which check
  private load = 0;
  private old = false;
  private fixesShown = 0;
  private ofViolation = false; // what is shown
  index = 0;
  step = 0;
  /// With which of what was taken last the page has to begin; undefined: with the one it remembers.
  beginsHere: number | undefined;

  /// `wanted`: the model to begin with.
  constructor(private wanted?: string) {}

  get shown(): Counterexample | undefined {
    return this.all[this.index]?.read;
  }

  get empty(): boolean {
    return this.all.length === 0;
  }

  /// For the page.
  get data(): unknown[] {
    return this.all.map(({ data }) => data);
  }

  get outdated(): boolean {
    return this.old && !this.empty;
  }

  /// There is news about the document. "outdated": there is nothing wrong with it any more; what is shown stays and says so.
  task(status: Status | undefined): Task {
    if ((status?.state !== "done" && !status?.partial) || !status.current) return "nothing"; // what was edited since says nothing new
    if (status.counterexamples.length === 0) return status.partial ? "nothing" : "outdated"; // another model may still have one
    // A program that is right now may have executions that show it is not robust. They do not take the place of a bug by themselves.
    if (this.ofViolation && !isViolated(status) && this.wanted === undefined)
      return status.partial ? "nothing" : "outdated";
    return resultOf(status) === this.resultShown && !this.old ? "nothing" : "load";
  }

  /// Loading begins; the answers are for take(), with the number that this gives.
  beginLoad(): number {
    return ++this.load;
  }

  /// The counterexamples of a status have come. False: a newer load has begun meanwhile, or nothing in them can be read.
  take(load: number, status: Status, replies: readonly unknown[]): boolean {
    if (load !== this.load) return false;
    const all = replies.flatMap((data) => {
      const read = readCounterexample(data);
      return read ? [{ data, read }] : [];
    });
    if (all.length === 0) return false;
    const begin = beginAt(
      all.map(({ read }) => read.model),
      this.wanted,
      this.shown?.model,
    );
    this.beginsHere = begin;
    this.index = begin ?? 0;
    this.wanted = undefined;
    this.all = all;
    this.resultShown = resultOf(status);
    this.ofViolation = isViolated(status);
    this.old = false;
    return true;
  }

  /// Another model's is asked for, or the one there is now. False: it is shown.
  prefer(model: string | undefined): boolean {
    if (model === undefined || (model === this.shown?.model && !this.old)) return false;
    this.wanted = model;
    this.resultShown = "";
    return true;
  }

  /// The page went to a step. True: of another counterexample than before.
  moveTo(index: number, step: number): boolean {
    this.step = step;
    if (index === this.index || !this.all[index]) return false;
    this.index = index;
    return true;
  }

  markOutdated(): void {
    this.old = true;
    this.fixesShown = 0; // the page puts them away
  }

  /// The page was given another counterexample, and knows of no fixes.
  forgetFixes(): void {
    this.fixesShown = 0;
  }

  /// How many fixes the page has to learn of; undefined: it knows them.
  fixesTask(status: Status | undefined): number | undefined {
    if (!status || this.empty || this.outdated || status.fixes.offers === this.fixesShown) return undefined;
    this.fixesShown = status.fixes.offers;
    return this.fixesShown;
  }
}

function isViolated(status: Status): boolean {
  return status.models.some(({ verdict }) => verdict === "violation");
}

function resultOf(status: Status): string {
  return `${status.version} ${status.counterexamples.join()}`;
}

// Which box of a picture shows which event. A box has the id event-n, or fold-a-b if it stands for a run from a to b of
// a thread's updates, or of its other events. Updates have no box in the Shasha-Snir view: there their store stands for
// them.
import type { Edge, EdgeKind, Graph } from "./data";
import type { StepSequence } from "./stepSequence";

export class Nodes {
  private readonly boxOfEvent = new Map<number, string>();
  private readonly eventsOfBox = new Map<string, number[]>();

  constructor(
    private readonly sequence: StepSequence,
    graph: Graph,
    ids: Iterable<string>,
  ) {
    const folds: [string, number, number][] = [];
    for (const id of ids) {
      const single = /^event-(\d+)$/.exec(id);
      const fold = /^fold-(\d+)-(\d+)$/.exec(id);
      if (single) this.put(id, Number(single[1]));
      else if (fold) folds.push([id, Number(fold[1]), Number(fold[2])]);
    }
    for (const [id, first, last] of folds) {
      this.eventsOfBox.set(id, []);
      const like = sequence.data.events[first];
      if (!like) continue;
      for (const event of graph.nodes) {
        const { thread, kind } = sequence.event(event);
        const inRun =
          event >= first && event <= last && thread === like.thread && (kind === "update") === (like.kind === "update");
        if (inRun && !this.boxOfEvent.has(event)) this.put(id, event);
      }
    }
  }

  private put(id: string, event: number): void {
    if (!this.sequence.data.events[event]) return;
    this.boxOfEvent.set(event, id);
    this.eventsOfBox.set(id, [...(this.eventsOfBox.get(id) ?? []), event]);
  }

  /// The box that stands for an event; undefined if the picture has none.
  boxOf(event: number): string | undefined {
    const own = this.boxOfEvent.get(event);
    if (own !== undefined) return own;
    const { kind, partner } = this.sequence.event(event);
    return kind === "update" && partner !== undefined ? this.boxOfEvent.get(partner) : undefined;
  }

  eventsOf(id: string): readonly number[] {
    return this.eventsOfBox.get(id) ?? [];
  }

  /// The steps of a box, in order.
  stepsOf(id: string): number[] {
    return this.eventsOf(id)
      .map((event) => this.sequence.stepOfEvent(event))
      .filter((step) => step !== undefined)
      .sort((a, b) => a - b);
  }

  /// The step to go to when a box is clicked: the first of its steps, or the one after the current if that is one of them
  /// already, so that clicking again walks through a folded run.
  stepFor(id: string, current: number): number | undefined {
    const steps = this.stepsOf(id);
    const at = steps.indexOf(current);
    return at < 0 ? steps[0] : steps[(at + 1) % steps.length];
  }
}

/// The edge an id edge-a-b-k speaks of.
export function edgeOfId(id: string): Edge | undefined {
  const match = /^edge-(\d+)-(\d+)-([a-z]+)$/.exec(id);
  return match ? { from: Number(match[1]), to: Number(match[2]), kind: match[3] as EdgeKind } : undefined;
}

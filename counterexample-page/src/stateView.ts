// StateView: the program state after the current step: variables, store buffers, locks, call stack.
import { h } from "./dom";
import type { Queue, StepSequence } from "./stepSequence";

export class StateView {
  readonly element = h("section", { class: "state", "aria-label": "After this step", tabindex: "0" });

  show(sequence: StepSequence, step: number): void {
    this.element.replaceChildren(
      ...(sequence.data.variables.length ? [this.variables(sequence, step)] : []),
      ...(sequence.hasBuffers ? [this.buffers(sequence, step)] : []),
      h(
        "div",
        { class: "state-part" },
        ...(sequence.hasLocks ? this.locks(sequence, step) : []),
        ...this.stack(sequence, step),
      ),
    );
  }

  private variables(sequence: StepSequence, step: number): HTMLElement {
    const body = h("tbody");
    for (const variable of sequence.variables(step)) {
      const changed = variable.value !== variable.before;
      const value = h("td", {}, h("code", {}, variable.value));
      if (changed) {
        value.prepend(h("span", { class: "mark", "aria-hidden": "true" }, "\u25b8 "));
        value.append(h("span", { class: "was" }, ` was ${variable.before}`));
      }
      const name = h("th", { scope: "row", title: variable.detail }, h("code", {}, variable.name));
      body.append(h("tr", { class: changed ? "changed" : "" }, name, value));
    }
    const head = h("tr", {}, h("th", { scope: "col" }, "Variable"), h("th", { scope: "col" }, "Value in memory"));
    const table = h("table", { class: "variables" }, h("thead", {}, head), body);
    return h("div", { class: "state-part" }, h("h2", {}, "Shared variables"), table);
  }

  private buffers(sequence: StepSequence, step: number): HTMLElement {
    const part = h("div", { class: "state-part" }, h("h2", {}, "Store buffers"));
    const list = h("dl", { class: "buffers" });
    for (const thread of sequence.bufferingThreads) {
      const queues = sequence.queues(step, thread).map((queue) => this.queue(sequence, queue));
      list.append(
        h("dt", {}, sequence.threadName(thread)),
        h("dd", {}, ...(queues.length ? queues : [h("span", { class: "nothing" }, "empty")])),
      );
    }
    part.append(list);
    return part;
  }

  private queue(sequence: StepSequence, queue: Queue): HTMLElement {
    const list = h("ol", { class: "queue", "aria-label": "oldest first" });
    for (const store of queue.stores)
      list.append(h("li", {}, h("code", {}, `${sequence.variableName(store.variable)} = ${store.value}`)));
    return list;
  }

  private locks(sequence: StepSequence, step: number): HTMLElement[] {
    const held = sequence.step(step).locks ?? [];
    const list = h("ul", { class: "locks" });
    for (const lock of held) {
      const name = h("code", {}, sequence.variableName(lock.variable));
      list.append(h("li", {}, name, ` held by ${sequence.threadName(lock.thread)}`));
    }
    return [h("h2", {}, "Locks"), held.length ? list : h("p", { class: "nothing" }, "none held")];
  }

  private stack(sequence: StepSequence, step: number): HTMLElement[] {
    const thread = sequence.threadName(sequence.eventOfStep(step).thread);
    const list = h("ol", { class: "stack" });
    for (const frame of sequence.stack(step)) {
      const place = h("span", { class: "place" }, sequence.placeText(frame.place));
      const name = h("code", {}, frame.function || "?");
      list.append(h("li", frame.folded ? { class: "folded" } : {}, name, frame.folded ? " in " : " ", place));
    }
    return [h("h2", {}, `Calls in ${thread}`), list];
  }
}

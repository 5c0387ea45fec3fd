// The line between the halves: dragged, or moved with the left and right arrow keys.
import { h } from "./dom";

const [least, most] = [25, 80]; // per cent of the width for the left half

export function makeSplitter(area: HTMLElement, start: number): HTMLElement {
  const bar = h("div", {
    class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the steps",
    "aria-valuemin": least, "aria-valuemax": most,
  });
  let share = start;
  const set = (value: number) => {
    share = Math.min(most, Math.max(least, value));
    area.style.setProperty("--left", `${share}%`);
    bar.setAttribute("aria-valuenow", String(Math.round(share)));
  };
  set(start);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (step) set(share + step);
  });
  bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { x, width } = area.getBoundingClientRect();
    set((100 * (event.clientX - x)) / width);
  });
  bar.addEventListener("dblclick", () => set(start));
  return bar;
}

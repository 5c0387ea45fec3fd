// The splitter between the halves of the page: moved by dragging or with the left and right arrow keys.
import { h } from "./dom";

const [least, most] = [25, 80]; // per cent of the width for the left half

/// `start`: the share of the left half for a width of the area. It counts until the user moves the line.
export function makeSplitter(area: HTMLElement, start: (width: number) => number): HTMLElement {
  const bar = h("div", {
    class: "splitter",
    role: "separator",
    tabindex: "0",
    "aria-orientation": "vertical",
    "aria-label": "Width of the steps",
    "aria-valuemin": least,
    "aria-valuemax": most,
  });
  let share = 0;
  let moved = false;
  const set = (value: number) => {
    share = Math.min(most, Math.max(least, value));
    area.style.setProperty("--left", `${share}%`);
    bar.setAttribute("aria-valuenow", String(Math.round(share)));
  };
  const reset = () => {
    moved = false;
    const { width } = area.getBoundingClientRect();
    if (width > 0) set(start(width));
  };
  const move = (value: number) => {
    moved = true;
    set(value);
  };
  set(start(innerWidth)); // it is not in the document yet
  new ResizeObserver(() => {
    if (!moved) reset();
  }).observe(area);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (step) move(share + step);
  });
  bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { x, width } = area.getBoundingClientRect();
    move((100 * (event.clientX - x)) / width);
  });
  bar.addEventListener("dblclick", reset);
  return bar;
}

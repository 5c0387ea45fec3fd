// The legend below a picture: only what the picture has, drawn the way the picture draws it.
import type { EdgeKind } from "./data";
import { h, svg } from "./dom";
import type { Picture } from "./picture";
import { edgeNames } from "./words";

export interface LegendEntry {
  sample: SVGGElement; // 48 wide and 14 high, from -34 to 14
  name: string;
  meaning: string;
}

/// Of the arrows.
export function arrowEntries(picture: Picture): LegendEntry[] {
  const kinds = (Object.keys(edgeNames) as EdgeKind[]).filter((kind) =>
    picture.arrows.some(({ edge }) => edge.kind === kind),
  );
  const entries = kinds.map((kind) => {
    const [name, meaning] = edgeNames[kind];
    return { sample: arrowSample(picture, kind), name, meaning: `From a to b: ${meaning}` };
  });
  const cycle = picture.arrows.find(({ edge, element }) => edge.kind !== "race" && element.classList.contains("cycle"));
  if (cycle)
    entries.push({
      sample: svg("g", { class: "edge po cycle" }, svg("path", { d: "M-30,0 L12,0" })),
      name: "part of the cycle",
      meaning: "These cannot all hold under sequential consistency",
    });
  return entries;
}

export function makeLegend(picture: Picture, hasBuffers: boolean): HTMLElement {
  const list = h("ul", { class: "legend", "aria-label": "Legend" });
  for (const { sample, name, meaning } of arrowEntries(picture)) {
    const frame = {
      class: "sample picture-svg",
      viewBox: "-34 -7 48 14",
      width: "48",
      height: "14",
      "aria-hidden": "true",
    };
    list.append(h("li", { title: meaning }, svg("svg", frame, sample), name));
  }
  list.append(h("li", {}, boxSample("current"), "current step"), h("li", {}, boxSample("later"), "later step"));
  if (hasBuffers) list.append(h("li", {}, boxSample("waiting"), "in the store buffer"));
  return list;
}

function boxSample(state: string): SVGSVGElement {
  return svg(
    "svg",
    { class: "sample picture-svg", viewBox: "0 0 24 14", width: "24", height: "14", "aria-hidden": "true" },
    svg("g", { class: `node store ${state}` }, svg("polygon", { points: "2,2 22,2 22,12 2,12" })),
  );
}

/// A straight arrow with the line and the ends of the first such arrow of the picture.
function arrowSample(picture: Picture, kind: EdgeKind): SVGGElement {
  const arrow = picture.arrows.find(({ edge }) => edge.kind === kind);
  const line = arrow?.element.querySelector("path");
  const straight = svg("path", {
    d: "M-28,0 L2,0",
    "stroke-dasharray": line?.getAttribute("stroke-dasharray") ?? undefined,
  });
  const group = svg("g", { class: `edge ${kind}` }, straight);
  const numbers = numbersOf(line?.getAttribute("d"));
  if (!line || numbers.length < 4) return group;
  const [ax, ay, bx, by] = numbers as [number, number, number, number];
  const [cx, cy, dx, dy] = numbers.slice(-4) as [number, number, number, number];
  const degrees = (x: number, y: number) => Math.round((Math.atan2(y, x) * 1800) / Math.PI) / 10;
  const tail = svg("g", {
    transform: `translate(-28 0) rotate(${-degrees(bx - ax, by - ay)}) translate(${-ax} ${-ay})`,
  });
  const head = svg("g", { transform: `translate(2 0) rotate(${-degrees(dx - cx, dy - cy)}) translate(${-dx} ${-dy})` });
  for (let part = line.nextElementSibling; part && part.localName !== "text"; part = part.nextElementSibling) {
    const [x = 0, y = 0] = numbersOf(
      part.getAttribute("points") ?? `${part.getAttribute("cx")} ${part.getAttribute("cy")}`,
    );
    (Math.hypot(x - ax, y - ay) < Math.hypot(x - dx, y - dy) ? tail : head).append(part.cloneNode(true));
  }
  group.append(tail, head);
  return group;
}

function numbersOf(text: string | null | undefined): number[] {
  return (text?.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
}

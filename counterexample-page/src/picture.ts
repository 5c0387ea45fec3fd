// Picture: an SVG drawn by the checker, parsed and sanitized for the page. Finds boxes and arrows by their ids.
import type { Edge, Graph } from "./data";
import { svg } from "./dom";
import { edgeOfId, Nodes } from "./nodes";
import type { StepSequence } from "./stepSequence";

export interface Picture {
  root: SVGSVGElement;
  /// What is drawn, in the picture's units. Known once the picture has been in the document: see measure.
  x: number;
  y: number;
  width: number;
  height: number;
  nodes: Nodes;
  boxes: Map<string, SVGGElement>;
  arrows: { element: SVGGElement; edge: Edge }[];
}

/// undefined: there is no picture, or it cannot be read.
export function readPicture(sequence: StepSequence, graph: Graph | undefined, unfolded = false): Picture | undefined {
  const text = (unfolded ? graph?.unfoldedSvg : undefined) ?? graph?.svg;
  if (!graph || !text) return undefined;
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.localName !== "svg") return undefined;
  clean(parsed); // before it is in a document that would run or load what it holds
  const root = document.importNode(parsed, true) as Element as SVGSVGElement;
  const size = (root.getAttribute("viewBox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , width, height] = size;
  if (!width || !height) return undefined;

  const boxes = new Map<string, SVGGElement>();
  const arrows: Picture["arrows"] = [];
  for (const element of root.querySelectorAll<SVGGElement>("g[id]")) {
    const edge = edgeOfId(element.id);
    if (edge) arrows.push({ element, edge });
    else if (/^(event|fold)-/.test(element.id)) boxes.set(element.id, element);
  }
  return { root, x: 0, y: 0, width, height, nodes: new Nodes(sequence, graph, boxes.keys()), boxes, arrows };
}

/// To be called when the picture is in the document. Finds its true size (the checker may have drawn a legend of its own,
/// which is not shown) and gives boxes without an outline one that can be lit and clicked.
export function measure(picture: Picture): void {
  const { root, boxes } = picture;
  for (const box of boxes.values()) {
    if (box.querySelector("polygon, path, ellipse")) continue;
    const { x, y, width, height } = box.getBBox();
    const [left, top, right, bottom] = [x - 5, y - 2, x + width + 5, y + height + 2];
    box.prepend(svg("polygon", { points: `${left},${top} ${right},${top} ${right},${bottom} ${left},${bottom}` }));
  }
  const graph = root.querySelector<SVGGElement>("g.graph");
  const [box, matrix] = [graph?.getBBox(), graph?.transform.baseVal.consolidate()?.matrix];
  if (!box?.width || !box.height || !matrix) return;
  picture.x = matrix.a * box.x + matrix.e;
  picture.y = matrix.d * box.y + matrix.f;
  picture.width = matrix.a * box.width;
  picture.height = matrix.d * box.height;
}

/// Takes away what a strict policy forbids or what the page does itself: scripts, style attributes, links, tooltips.
function clean(root: Element): void {
  for (const element of root.querySelectorAll(
    "script, style, foreignObject, image, use, title, .legend, .graph > polygon",
  ))
    element.remove();
  for (const link of root.querySelectorAll("a")) {
    // Graphviz wraps a linked label as <g id="a_..."><a>...</a></g>
    const wrapper = link.parentElement?.id.startsWith("a_") ? link.parentElement : link;
    wrapper.replaceWith(...link.childNodes);
  }
  for (const element of [root, ...root.querySelectorAll("*")])
    for (const { name } of [...element.attributes])
      if (name === "style" || name.startsWith("on") || name.endsWith("href") || name.endsWith("title"))
        element.removeAttribute(name);
  root.removeAttribute("width");
  root.removeAttribute("height");
  root.removeAttribute("id");
}

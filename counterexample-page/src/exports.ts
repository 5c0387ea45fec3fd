// The picture as a file of its own: every colour and dash the style sheet gives is written into the elements, so that
// any viewer shows what the page shows.
import { svg } from "./dom";
import { arrowEntries } from "./legend";
import type { Picture } from "./picture";

const properties = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity", "font-weight"];
const margin = 8;

/// The picture and its legend, without the marks of the current step.
export function standaloneSvg(picture: Picture): { text: string; width: number; height: number } {
  const copy = picture.root.cloneNode(true) as SVGSVGElement;
  for (const element of copy.querySelectorAll(".current, .later, .waiting, .near"))
    element.classList.remove("current", "later", "waiting", "near");
  copy.setAttribute("class", "picture-svg exporting");
  const legend = legendRows(picture);
  copy.append(legend.group);
  const [x, y] = [picture.x - margin, picture.y - margin];
  const width = Math.ceil(Math.max(picture.width, legend.width) + 2 * margin);
  const height = Math.ceil(picture.height + legend.height + 2 * margin);
  document.body.append(copy); // computed styles exist only in the document
  try {
    for (const element of copy.querySelectorAll("path, polygon, polyline, ellipse, circle, text")) {
      const style = getComputedStyle(element);
      for (const property of properties) element.setAttribute(property, style.getPropertyValue(property));
    }
    copy.prepend(svg("rect", { x, y, width, height, fill: getComputedStyle(copy).backgroundColor }));
  } finally {
    copy.remove();
  }
  for (const name of ["class", "role", "aria-labelledby"]) copy.removeAttribute(name);
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/// The arrows explained below the picture, in as many columns as fit.
function legendRows(picture: Picture): { group: SVGGElement; width: number; height: number } {
  const [column, row] = [170, 18];
  const entries = arrowEntries(picture);
  const columns = Math.max(1, Math.min(entries.length, Math.floor(picture.width / column)));
  const group = svg("g", { transform: `translate(${picture.x} ${picture.y + picture.height + row})` });
  entries.forEach(({ sample, name }, i) => {
    const at = { transform: `translate(${(i % columns) * column + 36} ${Math.floor(i / columns) * row})` };
    group.append(
      svg(
        "g",
        at,
        sample,
        svg("text", { x: 20, y: 4, "font-family": "Helvetica,Arial,sans-serif", "font-size": 11 }, name),
      ),
    );
  });
  return { group, width: columns * column, height: Math.ceil(entries.length / columns) * row + row / 2 };
}

/// A PNG as a data URL, at twice the size unless that is more than browsers draw.
export async function standalonePng(picture: Picture): Promise<string> {
  const { text, width, height } = standaloneSvg(picture);
  const scale = Math.min(2, 16000 / Math.max(width, height), Math.sqrt(100e6 / (width * height)));
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

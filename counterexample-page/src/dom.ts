// Small helpers for making elements. No style attributes and no on... attributes: the page must run under a strict
// content security policy.
type Child = Node | string | undefined;
type Attributes = Record<string, string | number | boolean | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/// A line of a program that breaks, if it must, between words of the program.
export function breakable(source: string): Node[] {
  const parts = source.split(/(?<=[(,;)\]]|->|&&|\|\|)(?=[^\s);,])/);
  return parts.flatMap((part, i) => (i ? [h("wbr"), document.createTextNode(part)] : [document.createTextNode(part)]));
}

/// Text in which `names of the program` stand between backquotes.
export function rich(text: string): Node[] {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : document.createTextNode(part)));
}

export function button(label: string, attributes: Attributes, click: () => void): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", click);
  return element;
}

/// A button with a drawn sign and a name for those who do not see it.
export function iconButton(path: string, name: string, attributes: Attributes, click: () => void): HTMLButtonElement {
  const element = button("", { "aria-label": name, title: name, ...attributes }, click);
  element.append(svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" }, svg("path", { d: path })));
  return element;
}

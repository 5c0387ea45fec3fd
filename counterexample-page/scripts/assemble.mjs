// Fills the template the way the checker does. `pageOf(json)` gives the HTML of a page for the given data.
import { readFileSync } from "node:fs";

const dist = (name) => readFileSync(new URL(`../dist/${name}`, import.meta.url), "utf8");

export function pageOf(data) {
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const parts = {
    "<!--PICKET-STYLE-->": `<style>${dist("page.css")}</style>`,
    "<!--PICKET-DATA-->": `<script type="application/json" id="counterexample">${json}</script>`,
    "<!--PICKET-SCRIPT-->": `<script>${dist("page.js")}</script>`,
  };
  return dist("template.html").replace(/<!--PICKET-\w+-->/g, (name) => parts[name]);
}

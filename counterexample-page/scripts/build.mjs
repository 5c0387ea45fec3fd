// Makes dist/page.js, dist/page.css and dist/template.html. The same input gives the same bytes.
import { build } from "esbuild";
import { copyFile, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const target = "chrome114"; // also what current Firefox and Safari understand
const common = { bundle: true, minify: true, charset: "ascii", legalComments: "none", logLevel: "warning" };
await build({
  ...common,
  entryPoints: ["src/page.ts"],
  outfile: "dist/page.js",
  format: "iife",
  target,
  tsconfig: "src/tsconfig.json",
});
await build({ ...common, entryPoints: ["src/page.css"], outfile: "dist/page.css", target });
await copyFile("src/template.html", "dist/template.html");

// Both are put between tags of one HTML file: nothing in them may end or nest these.
const script = await readFile("dist/page.js", "utf8");
const style = await readFile("dist/page.css", "utf8");
if (/<\/script|<!--|<script/i.test(script) || /<\/style/i.test(style)) {
  console.error("build: the bundle holds text that would end its element in an HTML file");
  process.exit(1);
}

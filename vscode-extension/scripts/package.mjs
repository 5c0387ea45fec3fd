// Builds and packs the extension: picket-linux-x64.vsix. Options go to build.mjs; --out FILE names the package.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { out: { type: "string" }, source: { type: "string" }, page: { type: "string" }, picket: { type: "string" } } });
const out = path.resolve(values.out ?? fileURLToPath(new URL("../picket-linux-x64.vsix", import.meta.url)));
const forBuild = ["source", "page", "picket"].flatMap((name) => (values[name] ? [`--${name}`, path.resolve(values[name])] : []));
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const largest = 25e6; // bytes

function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
}
function fail(text) {
  console.error(`package: ${text}`);
  process.exit(1);
}

run(process.execPath, ["scripts/build.mjs", "--production", ...forBuild]);
if (!existsSync("bin/picket")) fail("a platform package carries the picket program: build it first, or name it with --picket");
mkdirSync(path.dirname(out), { recursive: true });
// Everything that is needed at run time is in dist/: no node_modules.
run(process.execPath, ["node_modules/@vscode/vsce/vsce", "package", "--target", "linux-x64", "--no-dependencies", "--no-rewrite-relative-links",
  "--allow-missing-repository", "--readme-path", "dist/README.md", "--out", out]);

const { size } = statSync(out);
if (size > largest) fail(`${out} has ${size} bytes, more than ${largest}`);
// Names of files stand uncompressed in the package's directory.
const names = readFileSync(out).toString("latin1").match(/extension\/[\w./@-]+/g) ?? [];
const unwanted = names.filter((name) => /\.map$|\.test\.|\/test\/|\/src\/|node_modules|\.ts$/.test(name));
if (unwanted.length > 0) fail(`not meant to be shipped: ${[...new Set(unwanted)].join(", ")}`);
console.log(`${path.basename(out)}: ${(size / 1e6).toFixed(1)} MB`);

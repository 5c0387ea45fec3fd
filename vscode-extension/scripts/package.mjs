// Builds and packs the extension: picket-linux-x64.vsix. Options go to build.mjs; --out FILE names the package.
import buffer from "node:buffer";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    source: { type: "string" },
    page: { type: "string" },
    picket: { type: "string" },
  },
});
const out = path.resolve(values.out ?? fileURLToPath(new URL("../picket-linux-x64.vsix", import.meta.url)));
const forBuild = ["source", "page", "picket"].flatMap((name) =>
  values[name] ? [`--${name}`, path.resolve(values[name])] : [],
);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const { status } = spawnSync(process.execPath, ["scripts/build.mjs", "--production", ...forBuild], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (status !== 0) process.exit(1);
if (!existsSync("bin/picket")) {
  console.error("package: a platform package carries the picket program: build it first, or name it with --picket");
  process.exit(1);
}
mkdirSync(path.dirname(out), { recursive: true });
globalThis.File ??= buffer.File; // vsce expects it; Node.js 18 has it only there
const { createVSIX } = await import("@vscode/vsce");
// Everything that is needed at run time is in dist/: no node_modules.
await createVSIX({
  target: "linux-x64",
  dependencies: false,
  rewriteRelativeLinks: false,
  allowMissingRepository: true,
  readmePath: "dist/README.md",
  packagePath: out,
});

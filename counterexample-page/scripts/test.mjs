// Bundles test/*.test.ts and runs them with Node's test runner. Arguments go to it (--test-name-pattern=...).
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
rmSync(".test-build", { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: ".test-build",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node18",
  sourcemap: "inline",
  logLevel: "warning",
  external: ["../scripts/*"],
});
const files = tests.map((name) => `.test-build/${name.replace(/\.ts$/, ".mjs")}`);
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...process.argv.slice(2), ...files], {
  stdio: "inherit",
});
process.exit(run.status ?? 1);

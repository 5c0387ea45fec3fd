// counterexample_types.mjs PICKET SOURCE PAGE: whether the counterexamples that Picket writes are what
// counterexample-page/src/counterexampleJson.ts says. Each is compiled as a literal of that type: TypeScript then refuses keys that
// are missing or not described, and values of another type. PAGE: a folder in which TypeScript is installed.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const [picket, source, page] = process.argv.slice(2);

/// Programs and options that together have every key.
const runs = [
  ["dekker.c", "tso"],
  ["publication.c", "pso"],
  ["deadlock_order.c", "sc"],
  ["message_passing.c", "power"],
  ["spurious_wakeup.c", "sc"],
  ["hang.c", "tso"],
  ["nested_threads.c", "tso"],
  ["null_access.c", "sc"],
  ["library_fixes/vring_test.c", "power"],
];

const folder = mkdtempSync(path.join(os.tmpdir(), "picket-types-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let written = 0;
const files = runs.flatMap(([program, model]) => {
  const trace = path.join(folder, `${path.basename(program)}.json`);
  const file = path.join(source, "tests/programs", program);
  spawnSync(picket, ["check", "--quiet", "--model", model, "--trace-json", trace, file]);
  let json;
  try {
    json = readFileSync(trace, "utf8");
  } catch {
    return []; // it has no counterexample under this model
  }
  written += 1;
  const text = path.join(folder, `${path.basename(program)}.ts`);
  writeFileSync(
    text,
    `import type { CounterexampleJson } from "./counterexampleJson";\nexport const data: CounterexampleJson = ${json};\n`,
  );
  return [text];
});
if (written < 5) {
  console.error(`only ${written} of ${runs.length} programs have a counterexample`);
  process.exit(1);
}
copyFileSync(
  path.join(source, "counterexample-page/src/counterexampleJson.ts"),
  path.join(folder, "counterexampleJson.ts"),
);
const compiler = path.join(page, "node_modules/typescript/bin/tsc");
const options = [
  "--noEmit",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--target",
  "es2022",
  "--module",
  "es2022",
  "--moduleResolution",
  "bundler",
];
const { status, stdout } = spawnSync(process.execPath, [compiler, ...options, ...files], { encoding: "utf8" });
console.log(stdout.slice(0, 4000));
process.exit(status ?? 1);

// Makes everything the package holds: dist/, media/generated/ (the counterexample page), examples/ and bin/picket.
//   node scripts/build.mjs [--production] [--source DIR] [--page DIR] [--picket FILE]
// --source: the root of the repository, if this is a copy of its vscode-extension/.
// --page: the built counterexample page (default: ../counterexample-page/dist, built if it is not there).
// --picket: the program to carry (default: ../build/picket if it is there; else none, and PATH is searched).
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    production: { type: "boolean", default: false },
    source: { type: "string", default: fileURLToPath(new URL("../..", import.meta.url)) },
    page: { type: "string" },
    picket: { type: "string" },
  },
});
for (const name of ["source", "page", "picket"]) if (options[name]) options[name] = path.resolve(options[name]); // before the folder changes
process.chdir(fileURLToPath(new URL("..", import.meta.url)));

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) {
    console.error(`build: ${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}`);
    process.exit(1);
  }
}

function fresh(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

const common = {
  bundle: true,
  minify: options.production,
  sourcemap: options.production ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
};
fresh("dist");
fresh("media/generated");
const { metafile } = await build({
  ...common,
  metafile: true,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
});
await build({
  ...common,
  sourcemap: false,
  entryPoints: ["src/webview/frame.ts"],
  outfile: "media/generated/frame.js",
  platform: "browser",
  target: "chrome114",
  format: "iife",
  tsconfig: "src/webview/tsconfig.json",
});

// The licences of the packages that are in the bundle.
const packages = [
  ...new Set(Object.keys(metafile.inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])),
].sort();
writeFileSync(
  "ThirdPartyNotices.txt",
  [
    "This extension contains the following packages.",
    ...packages.map((folder) => {
      const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
      if (!licence) throw new Error(`${folder} has no licence`);
      return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, "utf8").trim()}`;
    }),
  ].join(`\n\n${"-".repeat(80)}\n\n`) + "\n",
);

const { source } = options;
const page = options.page ?? `${source}/counterexample-page/dist`;
if (!options.page && !existsSync(`${page}/page.js`)) {
  if (!existsSync(`${source}/counterexample-page/node_modules`))
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], `${source}/counterexample-page`);
  run("npm", ["run", "--silent", "build"], `${source}/counterexample-page`);
}
for (const file of ["page.js", "page.css"]) copyFileSync(`${page}/${file}`, `media/generated/${file}`);

fresh("examples");
for (const file of readdirSync(`${source}/examples`).filter((name) => name.endsWith(".c")))
  copyFileSync(`${source}/examples/${file}`, `examples/${file}`);
copyFileSync(`${source}/LICENSE`, "LICENSE");

// The same pictures in the repository, in the package's readme and in the walkthrough.
const picture = /(?:\.\.\/)+docs\/images\/([\w-]+\.png)/g;
const readme = readFileSync("README.md", "utf8");
for (const [, name] of readme.matchAll(picture))
  copyFileSync(`${source}/docs/images/${name}`, `media/generated/${name}`);
writeFileSync("dist/README.md", readme.replace(picture, "media/generated/$1"));

const picket = options.picket ?? (existsSync(`${source}/build/picket`) ? `${source}/build/picket` : undefined);
fresh("bin");
if (picket) {
  run("strip", ["--strip-all", "-o", "bin/picket", picket], ".");
  chmodSync("bin/picket", 0o755);
}

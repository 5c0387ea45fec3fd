// How long it takes from saving examples/dekker.c to its diagnostic, with a server that has been running for a while, and
// from the diagnostic of a textbook program to the first fix that is offered.
// Usage: node tests/bench/lsp-latency.mjs [build directory]; ROUNDS=n for another number than 50. Every round checks a
// text that was not seen before, so that no answer is known already. Exit code 1: slower than it should be.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sources = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const build = path.resolve(process.argv[2] ?? path.join(sources, "build"));
process.env.PICKET ??= path.join(build, "picket");
process.env.PICKET_SOURCE_DIR = sources;
const { Client, example, FullCapabilities } = await import(
  pathToFileURL(path.join(build, "tests/lsp/client.mjs")).href
);
const { Textbook } = await import(pathToFileURL(path.join(build, "tests/lsp/programs.mjs")).href);

const Warm = 5;
const rounds = Number(process.env.ROUNDS ?? 50);
const source = example("dekker.c");
const samples = {
  "save to diagnostic": [],
  "  compile": [],
  "  explore": [],
  "  everything else": [],
  "render (on demand)": [],
};
const Limits = { 0.5: 150, 0.95: 400 }; // of the time from save to diagnostic
const MostForFix = 2000; // of the median of the textbook programs

const capabilities = {
  ...FullCapabilities,
  textDocument: { ...FullCapabilities.textDocument, codeAction: { resolveSupport: { properties: ["edit"] } } },
};
const client = await Client.start({ capabilities });
const uri = await client.open("dekker.c", source);
await client.checked(uri);
for (let round = 0; round < Warm + rounds; ++round) {
  // Any number but 0 raises a flag.
  const version = await client.edit(uri, source.replaceAll(/(&flag[01], )1,/g, `$1${round + 2},`));
  const saved = performance.now();
  await client.save(uri);
  await client.checked(uri);
  if (round < Warm) continue;
  const published = client
    .published(uri)
    .find((message) => message.params.version === version && message.params.diagnostics.length > 0);
  const status = client.status(uri);
  const total = published.at - saved;
  const compile = status.compileSeconds * 1000;
  const explore = Math.max(...status.models.map(({ seconds }) => seconds)) * 1000; // models run side by side
  samples["save to diagnostic"].push(total);
  samples["  compile"].push(compile);
  samples["  explore"].push(explore);
  samples["  everything else"].push(total - compile - explore);
  const asked = performance.now(); // both pictures, once somebody opens the counterexample
  await client.request("picket/counterexample", { uri });
  samples["render (on demand)"].push(performance.now() - asked);
}
const fixes = {};
for (const [name, text] of Object.entries(Textbook)) {
  const document = await client.open(`textbook-${name}`, text);
  await client.checked(document);
  const violation = client.published(document).at(-1).at;
  await client.until("a fix", () => client.status(document).fixes.offers > 0);
  const offer = client.messages.find(
    ({ method, params }) => method === "picket/status" && params.uri === document && params.fixes.offers > 0,
  );
  fixes[name] = offer.at - violation;
  await client.close(document);
}
const memory = client.memory();
await client.stop();

const at = (values, share) => [...values].sort((left, right) => left - right)[Math.ceil(share * values.length) - 1];
console.log(
  `${rounds} rounds, milliseconds`.padEnd(24) + ["median", "p95", "max"].map((name) => name.padStart(9)).join(""),
);
for (const [name, values] of Object.entries(samples))
  console.log(name.padEnd(24) + [0.5, 0.95, 1].map((share) => at(values, share).toFixed(1).padStart(9)).join(""));
console.log(`the server takes ${memory.toFixed(1)} MB`);
for (const [share, limit] of Object.entries(Limits)) {
  if (at(samples["save to diagnostic"], Number(share)) < limit) continue;
  console.log(`too slow: ${share * 100} % of the diagnostics should be there within ${limit} ms`);
  process.exitCode = 1;
}
for (const [name, milliseconds] of Object.entries(fixes))
  console.log(`first fix of ${name}`.padEnd(33) + milliseconds.toFixed(0).padStart(6));
if (at(Object.values(fixes), 0.5) >= MostForFix) {
  console.log(`too slow: fixes of textbook programs should take less than ${MostForFix} ms`);
  process.exitCode = 1;
}

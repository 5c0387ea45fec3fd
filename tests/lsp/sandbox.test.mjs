// Workers can read files, and nothing else, as far as the kernel has the means to keep them to that.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { eventually, session } from "./client.mjs";
import { Buggy } from "./programs.mjs";

/** What the worker that checked a file found it could do: { write: "refused", ... }. */
function possibilities(client) {
  const logs = readdirSync(client.temporary, { recursive: true }).filter((name) => name.endsWith(".log"));
  const text = logs.map((name) => readFileSync(path.join(client.temporary, name), "utf8")).join("\n");
  return Object.fromEntries([...text.matchAll(/^(\w+): (possible|refused)$/gm)].map(([, what, answer]) => [what, answer]));
}

test("A worker can read, but not write, connect, or run other programs; it still checks and draws", () =>
  session({ env: { PICKET_ESCAPE_ON: "escape.c" } }, async (client) => {
    const uri = client.write("escape.c", Buggy);
    await client.open("escape.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    await eventually("the worker's log", () => possibilities(client).run);
    const found = possibilities(client);
    console.log(JSON.stringify(found));
    assert.equal(found.read, "possible");
    if (found.seccomp === "possible") assert.equal(found.connect, "refused");
    if (found.landlock === "possible") {
      assert.deepEqual([found.write, found.make, found.run], ["refused", "refused", "refused"]);
      assert(!existsSync(`${fileURLToPath(uri)}.made`));
      assert.equal(readFileSync(fileURLToPath(uri), "utf8"), Buggy);
    }
    const shown = await client.request("picket/counterexample", { uri });
    assert.match(JSON.stringify(shown), /<svg/, "pictures are drawn by a process of their own");
  }));

test("A check leaves the folder as it was", () => session({}, async (client) => {
  const uri = client.write("sb.c", Buggy);
  await client.open("sb.c", Buggy);
  assert.equal((await client.checked(uri)).length, 1);
  assert.deepEqual(readdirSync(client.directory), ["sb.c"]);
  assert.equal(readFileSync(fileURLToPath(uri), "utf8"), Buggy);
}));

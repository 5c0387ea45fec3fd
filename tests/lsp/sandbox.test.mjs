// Workers can read files, and nothing else, as far as the kernel has the means to keep them to that.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { eventually, session } from "./client.mjs";
import { Buggy } from "./programs.mjs";

/** What the workers wrote into their logs. */
function logs(client) {
  const names = readdirSync(client.temporary, { recursive: true }).filter((name) => name.endsWith(".log"));
  return names.map((name) => readFileSync(path.join(client.temporary, name), "utf8")).join("\n");
}

test("A worker can read, and nothing else that is tried; it still checks and draws", () =>
  session({ env: { PICKET_ESCAPE_ON: "escape.c" } }, async (client) => {
    client.write("victim", "text\n");
    const uri = client.write("escape.c", Buggy);
    await client.open("escape.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    const attempts = () => [...logs(client).matchAll(/^escape: (.*): (possible|refused|killed)$/gm)];
    await eventually("the worker's log", () => attempts().length > 50);
    const active = logs(client).match(/^picket worker: sandbox: (.*)$/m)[1];
    console.log(active, `${attempts().length} attempts`);
    const possible = attempts()
      .filter(([, , answer]) => answer === "possible")
      .map(([, what]) => what);
    if (active.endsWith(", seccomp")) {
      // Other processes' files are Landlock's business.
      assert.deepEqual(
        active.startsWith("Landlock") ? possible : possible.filter((what) => !what.endsWith(" of a process")),
        [],
      );
      assert.equal(readFileSync(fileURLToPath(uri), "utf8"), Buggy);
      assert.deepEqual(readdirSync(client.directory).sort(), ["escape.c", "victim"]);
    }
    const shown = await client.request("picket/counterexample", { uri });
    assert.match(JSON.stringify(shown), /<svg/, "pictures are drawn by a copy of the worker");
  }));

test("A check leaves the folder as it was", () =>
  session({}, async (client) => {
    const uri = client.write("sb.c", Buggy);
    await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    assert.deepEqual(readdirSync(client.directory), ["sb.c"]);
    assert.equal(readFileSync(fileURLToPath(uri), "utf8"), Buggy);
  }));

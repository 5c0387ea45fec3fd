// Many edits, many documents.
import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "./client.mjs";
import { workersOf } from "./processes.mjs";
import { Buggy, Fixed } from "./programs.mjs";

for (const trigger of ["save", "change"]) {
  test(`200 rapid edits, checked on ${trigger}`, () =>
    session({ initializationOptions: { check: { trigger } } }, async (client) => {
      const uri = await client.open("sb.c", Buggy);
      assert.equal((await client.checked(uri)).length, 1);
      const first = client.messages.length;
      // Somebody types a remark at the end of the file and, at last, repairs the program.
      let text = Buggy;
      let line = Buggy.split("\n").length - 1;
      let character = 0;
      for (let count = 0; count < 199; ++count) {
        const added = count % 40 === 0 ? "// " : "é";
        await client.edit(uri, (text += added), [
          { range: { start: { line, character }, end: { line, character } }, text: added },
        ]);
        character += added.length;
        if (count % 40 === 39) {
          await client.edit(uri, (text += "\n"), [
            { range: { start: { line, character }, end: { line, character } }, text: "\n" },
          ]);
          ++line;
          character = 0;
        }
        if (count % 10 === 0) await client.save(uri);
      }
      await client.editAndSave(uri, text.replaceAll("  \n", "  __sync_synchronize();\n"));
      assert.deepEqual(await client.checked(uri), []);
      const statuses = client.messages
        .slice(first)
        .filter((message) => message.method === "picket/status" && message.params.state === "checking");
      assert(statuses.length < 60, `${statuses.length} checks of 200 edits`);
      const versions = client.published(uri).map((message) => message.params.version);
      assert.deepEqual(
        versions,
        [...versions].sort((left, right) => left - right),
        "versions go up",
      );
    }));
}

test("50 documents", () =>
  session({}, async (client) => {
    const documents = [];
    for (let index = 0; index < 50; ++index)
      documents.push(await client.open(`document${index}.c`, `${index % 2 ? Buggy : Fixed}int number${index};\n`));
    for (const [index, uri] of documents.entries())
      assert.equal((await client.checked(uri)).length, index % 2, `document ${index}`);
    for (const [index, uri] of documents.entries())
      await client.editAndSave(uri, `${index % 2 ? Fixed : Buggy}int other${index};\n`);
    for (const [index, uri] of documents.entries())
      assert.equal((await client.checked(uri)).length, 1 - (index % 2), `document ${index}`);
    assert(client.isSmall(), `the server takes ${client.memory().toFixed(1)} MB`);
    assert(workersOf(client.process.pid).length <= 8);
    for (const uri of documents) await client.close(uri);
    await client.until("cleared diagnostics", () => documents.every((uri) => client.shown(uri).length === 0));
  }));

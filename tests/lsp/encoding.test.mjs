// Columns: the engine counts bytes, editors count UTF-16 units or what was agreed on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { FullCapabilities, Picket, session } from "./client.mjs";
import { Fixed, lineOf, storeBuffering } from "./programs.mjs";

const Source = storeBuffering({ before: "/* é𝄞ß */ " });
const Encodings = { "utf-8": (text) => Buffer.byteLength(text), "utf-16": (text) => text.length };

function capabilities(positionEncodings) {
  return { ...FullCapabilities, general: positionEncodings ? { positionEncodings } : undefined };
}

/** Line and character of every step, out of the report of `picket check`, whose columns are bytes from 1. */
function stepsOnPaper(file, source, length) {
  const { status, stdout } = spawnSync(Picket, ["check", "--model", "tso", "--json", file], { encoding: "utf8" });
  assert.equal(status, 1, "there is a violation");
  const { counterexample } = JSON.parse(stdout).models[0].bugs[0];
  const lines = source.split("\n");
  return counterexample.steps.map(({ event }) => {
    const { line, column } = counterexample.events[event];
    const before = Buffer.from(lines[line - 1])
      .subarray(0, column - 1)
      .toString();
    return { line: line - 1, character: length(before) };
  });
}

for (const [offered, agreed] of [
  [["utf-16"], "utf-16"],
  [["utf-8", "utf-16"], "utf-8"],
  [undefined, "utf-16"],
]) {
  test(`Columns behind other letters, client offers ${offered}`, () =>
    session({ capabilities: capabilities(offered) }, async (client) => {
      const length = Encodings[agreed];
      assert.equal(client.initialized.capabilities.positionEncoding ?? "utf-16", agreed);
      client.write("letters.c", Source);
      const uri = await client.open("letters.c", Source);
      const [error] = await client.checked(uri);
      const line = lineOf(Source, "assert(");
      const [before] = Source.split("\n")[line].split("assert(");
      assert.deepEqual(error.range.start, { line, character: length(before) });
      const end = length(Source.split("\n")[line]);
      assert(error.range.end.line === line && error.range.end.character <= end, JSON.stringify(error.range));

      // Steps mark the place of the access, and nothing beyond the line.
      const places = stepsOnPaper(path.join(client.directory, "letters.c"), Source, length);
      assert.equal(error.relatedInformation.length, places.length);
      for (const [
        index,
        {
          location: {
            range: { start, end },
          },
        },
      ] of error.relatedInformation.entries()) {
        const place = places[index];
        const told = `${JSON.stringify({ start, end })} for ${JSON.stringify(place)}`;
        assert(start.line === place.line && end.line === place.line, told);
        assert(start.character <= place.character && place.character < end.character, told);
        assert(end.character <= length(Source.split("\n")[end.line]), told);
      }
      for (const text of ["x = 1;", "a = y;"])
        assert(
          places.some(({ line }) => line === lineOf(Source, text)),
          "some are behind the letters",
        );
    }));

  test(`Edits behind other letters, client offers ${offered}`, () =>
    session({ capabilities: capabilities(offered) }, async (client) => {
      const length = Encodings[agreed];
      const uri = await client.open("letters.c", Source);
      assert.equal((await client.checked(uri)).length, 1);
      const line = lineOf(Source, "assert(");
      const [before] = Source.split("\n")[line].split("a || b");
      const start = { line, character: length(before) };
      const end = { line, character: length(`${before}a || b`) };
      // Two changes in one message: the second one refers to the text the first one left.
      await client.edit(uri, Source.replace("a || b", "1"), [
        { range: { start, end }, text: "𝄞" },
        { range: { start, end: { line, character: start.character + length("𝄞") } }, text: "1" },
      ]);
      await client.save(uri);
      assert.deepEqual(
        (await client.checked(uri)).map((found) => found.code),
        ["not-robust", "not-robust"],
      );
    }));
}

test("Edits beyond the end of a line or of the text are taken as its end", () =>
  session({}, async (client) => {
    const uri = await client.open("sb.c", "");
    await client.edit(uri, "\n", [
      { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "\n" },
    ]);
    await client.edit(uri, `\n${Fixed}`, [
      { range: { start: { line: 7, character: 9 }, end: { line: 99, character: 0 } }, text: Fixed },
    ]);
    await client.save(uri);
    assert.deepEqual(await client.checked(uri), []);
    const line = lineOf(Fixed, "assert(") + 1;
    await client.edit(uri, `\n${Fixed.replace("  assert(a || b);", "  assert(a || b); nonsense")}`, [
      { range: { start: { line, character: 900 }, end: { line, character: 999 } }, text: " nonsense" },
    ]);
    await client.save(uri);
    const [error] = await client.checked(uri);
    assert.equal(error.range.start.line, line);
  }));

test("Lines end as in Windows, too", () =>
  session({}, async (client) => {
    const source = Source.replaceAll("\n", "\r\n");
    const uri = await client.open("crlf.c", source);
    const [error] = await client.checked(uri);
    assert.equal(error.range.start.line, lineOf(Source, "assert("));
    const line = lineOf(Source, "assert(");
    await client.edit(uri, "", [
      { range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } }, text: "" },
    ]);
    await client.save(uri);
    assert.deepEqual(
      (await client.checked(uri)).map((found) => found.code),
      ["not-robust", "not-robust"],
    );
  }));

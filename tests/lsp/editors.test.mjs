// Real editors, set up as docs/editors.md says, show the diagnostic that the tests' own client gets.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { example, Picket, session } from "./client.mjs";

const Sources = process.env.PICKET_SOURCE_DIR;

/** All blocks of code of a language in the section of an editor. */
function blocks(section, language) {
  const page = readFileSync(path.join(Sources, "docs/editors.md"), "utf8");
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map((match) => match[1]);
  assert.notEqual(found.length, 0);
  return found.join("\n");
}

/** What the tests' client gets for the example. */
async function expected() {
  let diagnostics;
  await session({}, async (client) => {
    diagnostics = await client.checked(await client.open("dekker.c", example("dekker.c")));
  });
  return diagnostics;
}

/** Runs an editor on a copy of the example, in a home of its own. */
function run(command, wanted, argumentsFor, files) {
  const directory = mkdtempSync(path.join(tmpdir(), "picket-editor-"));
  try {
    const place = (name) => path.join(directory, name);
    mkdirSync(place("bin"));
    symlinkSync(Picket, place("bin/picket"));
    for (const [name, text] of Object.entries({ "dekker.c": example("dekker.c"), ...files }))
      writeFileSync(place(name), text);
    const { HOME: _home, XDG_CONFIG_HOME: _config, XDG_DATA_HOME: _data, ...environment } = process.env;
    const { status, stdout, stderr, error } = spawnSync(command, argumentsFor(place), {
      cwd: directory,
      encoding: "utf8",
      timeout: 1_800_000,
      killSignal: "SIGKILL",
      env: {
        ...environment,
        HOME: directory,
        PATH: `${place("bin")}:${process.env.PATH}`,
        PROGRAM: place("dekker.c"),
        WANTED: wanted.message,
        RESULT: place("result.json"),
      },
    });
    assert.equal(error, undefined);
    const said = `exit code ${status}\n${stdout}\n${stderr}`;
    let result;
    try {
      result = JSON.parse(readFileSync(place("result.json"), "utf8"));
    } catch {
      assert.fail(`no result: ${said}`);
    }
    assert.equal(result.problem, undefined, `${result.problem}\n${said}`);
    return result;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("Neovim shows the diagnostic, its steps, the hover and the lens, and clears it", async () => {
  const [wanted] = await expected();
  const result = run(
    "nvim",
    wanted,
    (place) => [
      "--headless",
      "-n",
      "-u",
      place("init.lua"),
      "dekker.c",
      "-S",
      path.join(Sources, "tests/lsp/neovim.lua"),
    ],
    { "init.lua": `vim.cmd("filetype plugin on")\n${blocks("Neovim", "lua")}` },
  );
  assert.deepEqual(
    result.shown.find(({ message }) => message === wanted.message),
    {
      line: wanted.range.start.line,
      character: wanted.range.start.character,
      severity: wanted.severity,
      message: wanted.message,
      source: "picket",
      steps: wanted.relatedInformation.length,
    },
  );
  assert.equal(result.steps, wanted.relatedInformation.length);
  assert.match(result.hover, /flag1/);
  assert.match(result.lens, /TSO ✗/);
  assert.equal(result.repaired, true);
});

test("Emacs with eglot shows the diagnostic and the hover, and clears it", async () => {
  const [wanted] = await expected();
  const result = run(
    "emacs",
    wanted,
    (place) => [
      "--batch",
      "-f",
      "package-initialize",
      "-l",
      place("init.el"),
      "-l",
      path.join(Sources, "tests/lsp/emacs.el"),
    ],
    { "init.el": blocks("Emacs", "elisp") },
  );
  const shown = result.shown.find(({ message }) => message.includes(wanted.message));
  assert.equal(shown.line, wanted.range.start.line);
  assert.equal(shown.character, wanted.range.start.character);
  assert.equal(shown.error, true);
  assert(shown.message.includes(wanted.message), shown.message);
  assert.match(result.hover, /flag1/);
  assert.equal(result.repaired, true);
});

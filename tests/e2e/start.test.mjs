// scripts/start as a newcomer runs it, on a machine where everything is installed and built in PICKET_BUILD.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const build = process.env.PICKET_BUILD ?? path.join(root, "build");
const package_ = path.join(build, "picket-linux-x64.vsix");
const noCodeServer = process.arch === "x64" ? false : "code-server is installed for x86_64 only";
let folder; // programs that come before those of the machine
before(() => (folder = mkdtempSync(path.join(tmpdir(), "picket-start-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** PATH without a VS Code; every other program of this machine is there. */
function pathWithoutCode() {
  const bin = mkdtempSync(path.join(folder, "bin-"));
  for (const place of process.env.PATH.split(":").reverse())
    try {
      for (const name of readdirSync(place)) {
        if (name === "code") continue;
        rmSync(path.join(bin, name), { force: true });
        symlinkSync(path.join(place, name), path.join(bin, name));
      }
    } catch {
      // a folder that is not there
    }
  return bin;
}

/** Runs it in a process group of its own, so that a test can end all of it. */
function start(args, PATH, more = {}) {
  const child = spawn(path.join(root, "scripts", "start"), args, {
    env: { ...process.env, ...more, PATH, PICKET_BUILD: build },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const run = { child, output: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (run.output += text));
  run.ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
  return run;
}

/** Resolves when the output matches; fails when it ends before. */
function says(run, pattern) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(run.output);
      if (match) resolve(match);
    };
    run.child.stdout.on("data", look);
    look();
    void run.ended.then((code) => reject(new Error(`it ended with ${code} before it said ${pattern}:\n${run.output}`)));
  });
}

const demo = /assertion can fail|assertion failed|violation/i;

test("--check-only stops after the terminal", async () => {
  const run = start(["--check-only"], process.env.PATH);
  assert.equal(await run.ended, 0, run.output);
  assert.match(run.output, /dekker/);
  assert.match(run.output, demo);
  assert.doesNotMatch(run.output, /127\.0\.0\.1|VS Code/);
});

test("What it does not know is said, and nothing is done", async () => {
  for (const args of [["--chekc-only"], ["--port"], ["--port", "http"]]) {
    const run = start(args, process.env.PATH);
    assert.equal(await run.ended, 2);
    assert.match(run.output, /^start: .*\n$/);
  }
  const help = start(["--help"], process.env.PATH);
  assert.equal(await help.ended, 0);
  assert.match(help.output, /--check-only/);
});

test("A VS Code on PATH gets the extension and opens the examples", async () => {
  const bin = pathWithoutCode();
  const calls = path.join(folder, "calls");
  writeFileSync(path.join(bin, "code"), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${calls}'\n`);
  chmodSync(path.join(bin, "code"), 0o755);
  const run = start([], bin);
  assert.equal(await run.ended, 0, run.output);
  assert.deepEqual(readFileSync(calls, "utf8").split("\n"), [
    `--install-extension ${package_} --force`,
    "examples examples/dekker.c",
    "",
  ]);
  assert.doesNotMatch(run.output, /127\.0\.0\.1/);
});

/** Runs it until code-server answers, does `body` with its address, and ends it as Ctrl+C would. */
async function withCodeServer(PATH, more, body) {
  const run = start([], PATH, more);
  try {
    const [, address] = await says(run, /^ {2}(http:\/\/127\.0\.0\.1:\d+\/\?folder=.*)$/m);
    await body(address, run);
    process.kill(run.child.pid, "SIGTERM");
    assert.equal(await run.ended, 0, run.output); // its output is closed: nothing it started is left
    await assert.rejects(fetch(address));
    const mine = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isCodeServer(pid));
    assert.deepEqual(mine, [], "nothing of it runs any more");
  } finally {
    try {
      process.kill(-run.child.pid, "SIGKILL");
    } catch {
      // it has ended
    }
  }
}

test(
  "Without one, code-server answers on this machine, with the extension, until it is ended",
  { skip: noCodeServer },
  () =>
    withCodeServer(pathWithoutCode(), {}, async (address) => {
      assert.equal(new URL(address).searchParams.get("folder"), path.join(root, "examples"));
      const answer = await fetch(address);
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /workbench/);
      const extensions = readdirSync(path.join(build, "code-server-home", "extensions"));
      assert(
        extensions.some((name) => name.startsWith("picket.picket-")),
        extensions.join(),
      );
    }),
);

test(
  "A VS Code that does not take it is left alone; a password is asked for if there is one",
  { skip: noCodeServer },
  () => {
    const bin = pathWithoutCode();
    writeFileSync(path.join(bin, "code"), "#!/bin/sh\nexit 1\n");
    chmodSync(path.join(bin, "code"), 0o755);
    return withCodeServer(bin, { PASSWORD: "a word" }, async (address, run) => {
      assert.match(run.output, /did not take it/);
      const answer = await fetch(address);
      assert.match(answer.url, /\/login/);
      assert.doesNotMatch(await answer.text(), /a word/);
    });
  },
);

/** Known by the folder of its own that start gives it. */
function isCodeServer(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(path.join(build, "code-server-home"));
  } catch {
    return false; // it has ended
  }
}

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import {
  installCommand,
  isProgram,
  lookUpServer,
  problemOfLookup,
  problemOfProgram,
  runtimePackages,
} from "../src/serverLookup";

const input = { setting: "", bundled: "/ext/bin/picket", pathVariable: "/a:/b:relative", home: "/home/me" };
const having =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

test("The setting comes before the extension's own, and that before PATH", () => {
  const everywhere = having("/mine/picket", "/ext/bin/picket", "/b/picket");
  assert.deepEqual(lookUpServer({ ...input, setting: "/mine/picket" }, everywhere), {
    found: true,
    program: "/mine/picket",
    from: "setting",
  });
  assert.deepEqual(lookUpServer(input, everywhere), { found: true, program: "/ext/bin/picket", from: "extension" });
  assert.deepEqual(lookUpServer(input, having("/b/picket", "/a/picket")), {
    found: true,
    program: "/a/picket",
    from: "path",
  });
  assert.deepEqual(lookUpServer({ ...input, setting: "  " }, having("/b/picket")), {
    found: true,
    program: "/b/picket",
    from: "path",
  });
});

test("A setting that names nothing is told, whatever else there is", () => {
  const lookup = lookUpServer({ ...input, setting: "/gone/picket" }, having("/ext/bin/picket"));
  assert.deepEqual(lookup, { found: false, problem: "setting", detail: "/gone/picket" });
  assert(!lookup.found);
  const problem = problemOfLookup(lookup);
  assert.match(problem.message, /picket\.server\.path.*\/gone\/picket/);
  assert.equal(problem.advice[0], "settings");
});

test("Home, and names without a folder, in the setting", () => {
  assert.deepEqual(lookUpServer({ ...input, setting: "~/bin/picket" }, having("/home/me/bin/picket")), {
    found: true,
    program: "/home/me/bin/picket",
    from: "setting",
  });
  assert.deepEqual(lookUpServer({ ...input, setting: "picket-22" }, having("/b/picket-22")), {
    found: true,
    program: "/b/picket-22",
    from: "setting",
  });
});

test("Folders of PATH that depend on where one is are not searched", () => {
  const lookup = lookUpServer(
    { ...input, pathVariable: "relative::." },
    (file) => !path.isAbsolute(file) || file.endsWith("relative/picket"),
  );
  assert(!lookup.found);
  assert.equal(lookup.problem, "nowhere");
  assert.equal(problemOfLookup(lookup).advice[0], "choose");
});

test("Only files that can be run are programs", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picket-lookup-"));
  try {
    const file = path.join(folder, "picket");
    assert.equal(isProgram(file), false);
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o644);
    assert.equal(isProgram(file), false);
    chmodSync(file, 0o755);
    assert.equal(isProgram(file), true);
    mkdirSync(path.join(folder, "folder"));
    assert.equal(isProgram(path.join(folder, "folder")), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("A missing library is named, with the packages that bring it", () => {
  const problem = problemOfProgram(
    "/x/picket",
    "/x/picket: error while loading shared libraries: libLLVM.so.22.1: cannot open shared object file: No such file or directory\n",
  );
  assert.match(problem.message, /libLLVM\.so\.22\.1/);
  assert(problem.message.includes(runtimePackages));
  assert(installCommand.includes(runtimePackages));
  assert.equal(problem.advice[0], "install");
});

test("Any other end is told in the program's words", () => {
  assert.match(problemOfProgram("/x/picket", "warming up\nno such command: lsp\n").message, /no such command: lsp/);
  assert.match(problemOfProgram("/x/picket", "").message, /cannot be run\.$/);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { serverCommands } from "../src/protocol";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string; key: string; when: string }[];
    configuration: {
      properties: Record<
        string,
        { description?: string; markdownDescription?: string; scope?: string; default?: unknown }
      >;
    };
    walkthroughs: { steps: { description: string; media: { markdown: string } }[] }[];
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
};
const { commands, keybindings, configuration, walkthroughs } = manifest.contributes;
const names = commands.map(({ command }) => command);
const source = readFileSync("src/extension.ts", "utf8");

test("Every command of the manifest is there, and so are all of the server's, which lenses carry", () => {
  for (const name of names) assert(source.includes(`"${name}":`), `${name} is not registered`);
  for (const name of serverCommands) assert(names.includes(name), name);
});

test("Keys are for commands that are there, and only in C files", () => {
  for (const { command, when } of keybindings) {
    assert(names.includes(command), command);
    assert.match(when, /editorLangId == c/);
  }
  assert.equal(new Set(keybindings.map(({ key }) => key)).size, keybindings.length);
});

test("Every setting is described; programs and flags are not taken from a workspace without trust", () => {
  for (const [name, { description, markdownDescription }] of Object.entries(configuration.properties))
    assert(description ?? markdownDescription, name);
  assert.equal(configuration.properties["picket.server.path"]!.scope, "machine-overridable");
  for (const name of ["picket.server.path", "picket.flags"])
    assert(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name));
});

test("The walkthrough's links and pages are there", () => {
  for (const step of walkthroughs.flatMap(({ steps }) => steps)) {
    readFileSync(step.media.markdown);
    for (const [, command] of step.description.matchAll(/command:([\w.]+)/g))
      assert(names.includes(command!) || command!.startsWith("workbench."), command);
  }
});

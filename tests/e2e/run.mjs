// The extension in a real VS Code, from installing to fixing a bug:
//   node run.mjs --vsix FILE --code-server FOLDER --examples FOLDER --out FOLDER [--keep]
// --code-server: what scripts/install-code-server has filled. --out: screenshots and logs, one picture for each part.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { workersAndServers } from "./processes.mjs";
import { eventually, Session } from "./session.mjs";
import { Panel, Workbench } from "./workbench.mjs";

const { values: options } = parseArgs({
  options: {
    vsix: { type: "string" },
    "code-server": { type: "string" },
    examples: { type: "string" },
    out: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
for (const name of ["vsix", "code-server", "examples", "out"]) {
  assert(options[name], `--${name} is missing`);
  options[name] = path.resolve(options[name]);
}
rmSync(options.out, { recursive: true, force: true });

const dekker = readFileSync(path.join(options.examples, "dekker.c"), "utf8");
const fixed = dekker.replaceAll("memory_order_relaxed", "memory_order_seq_cst");
const lineOf = (text) => dekker.split("\n").findIndex((line) => line.includes(text)) + 1;
const manifest = JSON.parse(readFileSync(new URL("../../vscode-extension/package.json", import.meta.url), "utf8"));
/** Those that VS Code shows among the user's: in a remote window the machine has its own. */
const userSettings = Object.values(manifest.contributes.configuration.properties).filter(
  ({ scope }) => !scope?.startsWith("machine"),
);
const failing = lineOf("assert(inside == 2)");
/** Right under SC, TSO and PSO; elsewhere the load of the flag and that of the message may change their order. */
const released = readFileSync(path.join(options.examples, "message_passing.c"), "utf8").replace(
  "&ready, 1, memory_order_relaxed",
  "&ready, 1, memory_order_release",
);
/** Keeps a worker busy for minutes: 11! executions. */
const long = `// picket: timeout=30m volatile=relaxed
#include <pthread.h>
volatile int x;
void *writer(void *value) { x = (int)(long)value; return 0; }
int main(void) {
  pthread_t t[11];
  for (long i = 0; i < 11; ++i) pthread_create(&t[i], 0, writer, (void *)(i + 1));
  for (int i = 0; i < 11; ++i) pthread_join(t[i], 0);
  return 0;
}
`;

const session = new Session({
  node: path.join(options["code-server"], "node"),
  entry: path.join(options["code-server"], "code-server.js"),
  out: options.out,
});
const begin = Date.now();
let number = 0;
let workbench;

/** One part of the story: named, timed, with a picture at its end, also of a failure. */
async function part(name, body) {
  const started = Date.now();
  const label = `${String(++number).padStart(2, "0")}-${name}`;
  try {
    await body();
  } catch (error) {
    await session.page?.screenshot({ path: path.join(options.out, `${label}-FAILED.png`) }).catch(() => {});
    throw new Error(`${label}: ${error.message}`, { cause: error });
  }
  if (session.page) await session.screenshot(label);
  console.log(`${label} ${Date.now() - started} ms`);
}

async function story() {
  await part("install", () => session.install(options.vsix));
  session.copyToWorkspace(options.examples);
  writeFileSync(path.join(session.workspace, "long.c"), long);
  session.set({ "workbench.colorTheme": "Dark Modern" });

  await part("start", async () => {
    await session.start();
    await session.open();
    workbench = new Workbench(session.page);
    await session.page.locator('.explorer-folders-view .monaco-list-row[aria-label^="dekker.c"]').waitFor();
  });
  const { page } = session;
  const panel = new Panel(workbench);
  /** The text as it was, with its bug. */
  const breakDekker = async () => {
    await workbench.replaceText("dekker.c", dekker);
    await workbench.save("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✗ PSO ✗ ARM64 ✗ POWER ✗ C11 ✗/);
  };

  await part("squiggle-and-lens", async () => {
    await workbench.openFile("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✗ PSO ✗ ARM64 ✗ POWER ✗ C11 ✗/);
    await workbench.goToLine("dekker.c", lineOf("int main"));
    await workbench.untilLens(/SC ✓.*TSO ✗.*PSO ✗.*ARM64 ✗.*POWER ✗.*C11 ✗/);
  });
  await part("problems", async () => {
    await workbench.command("Problems: Focus on Problems View");
    // The assertion, or the data race under C11: the steps of the first one may push the other out of sight.
    const row = page
      .locator(".markers-panel .monaco-list-row")
      .filter({ hasText: / under (TSO|C11): / })
      .first();
    await row.waitFor();
    const text = await row.innerText();
    await row.dblclick(); // puts the cursor there
    await workbench.untilCursorAt("dekker.c", Number(/Ln (\d+)/.exec(text)[1]));
    await eventually("the assertion to be underlined", async () =>
      (await workbench.squiggledLines("dekker.c")).includes(failing),
    );
    await workbench.hidePanel();
  });
  await part("panel", async () => {
    await workbench.goToLine("dekker.c", lineOf("int main"));
    await page
      .locator(
        '.editor-actions [aria-label^="Picket: Show Counterexample"], .editor-actions [aria-label^="Show Counterexample"]',
      )
      .first()
      .waitFor();
    await workbench.clickLens("Show counterexample", panel.current);
    await panel.ready();
    assert.equal((await panel.counter()).step, 1);
    assert.match(await panel.frame.locator(".what").innerText(), /TSO/);
  });
  await part("step-to-the-end", async () => {
    const { of } = await panel.counter();
    assert(of > 10, `${of} steps`);
    await panel.focus();
    for (let step = 2; step <= of; step++) {
      await panel.press("ArrowDown", step);
      const line = await panel.line();
      await eventually(
        `line ${line} of step ${step} to be lit`,
        async () => (await workbench.highlightedLine("dekker.c")) === line,
      );
      await workbench.untilCursorAt("dekker.c", line);
    }
    assert.equal(await panel.line(), failing);
    await panel.press("Home", 1);
    await panel.press("End", of);
  });
  await part("numbers-on-lines", async () => {
    await eventually("numbers behind the lines", async () =>
      /[①-⑳]/.test(
        await workbench
          .editor("dekker.c")
          .evaluate((editor) =>
            [...editor.querySelectorAll("[class*=TextEditorDecorationType]")]
              .map((element) => getComputedStyle(element, "::after").content)
              .join(),
          ),
      ),
    );
    await workbench
      .editor("dekker.c")
      .locator(
        ".glyph-margin-widgets .cgmr[class*=TextEditorDecorationType], .margin-view-overlays [class*=TextEditorDecorationType]",
      )
      .first()
      .waitFor();
  });
  await part("click-on-a-box", async () => {
    // The store that waits: the first box of thread left's that is in the picture.
    const box = panel.frame.locator('.picture-svg g.node.store[id^="event-"]').first();
    await box.click();
    await eventually("the box to be lit", async () => /\bcurrent\b/.test((await box.getAttribute("class")) ?? ""));
    await workbench.untilCursorAt("dekker.c", await panel.line());
  });
  await part("cursor-to-step", async () => {
    const target = lineOf("while (atomic_load_explicit(&flag0");
    assert.notEqual(await panel.line(), target);
    await workbench.line("dekker.c", "while (atomic_load_explicit(&flag0").click();
    await eventually("the panel to go to the line's step", async () => (await panel.line()) === target);
  });
  await part("shasha-snir", async () => {
    const button = panel.frame.getByRole("button", { name: /Shasha/ });
    await button.click();
    await panel.frame.locator('button[aria-pressed="true"]', { hasText: "Shasha" }).waitFor();
    await panel.frame.locator(".picture-svg g.shasha-snir, .picture-svg.shasha-snir").first().waitFor();
  });
  await part("export", async () => {
    const file = path.join(session.workspace, "dekker-tso-shasha-snir.svg");
    const input = workbench.quickInput.locator("input");
    await workbench.attempt("export", async (limit) => {
      if (existsSync(file)) return; // the try before was only slow
      await panel.frame.getByRole("button", { name: "Export SVG" }).click(limit);
      await input.waitFor(limit);
      await eventually(
        "the proposed name",
        async () => (await input.inputValue(limit)).endsWith("/dekker-tso-shasha-snir.svg"),
        limit.timeout,
      );
      await page.keyboard.press("Enter");
      await eventually("the file", () => existsSync(file), limit.timeout);
    });
    await page.locator(".notification-toast", { hasText: "Saved as dekker-tso-shasha-snir.svg" }).waitFor();
    assert.match(readFileSync(file, "utf8"), /<svg[^]*<\/svg>/);
    await panel.frame.getByRole("button", { name: "Copy as text" }).click();
    await eventually("the steps on the clipboard", async () =>
      /flag0/.test(await page.evaluate(() => navigator.clipboard.readText())),
    );
  });
  await part("models", async () => {
    await panel.chooseModel("PSO");
    await eventually("the counterexample of PSO", async () =>
      /PSO/.test(await panel.frame.locator(".what").innerText()),
    );
    const line = await panel.line();
    await eventually(`line ${line} to be lit`, async () => (await workbench.highlightedLine("dekker.c")) === line);
    await panel.chooseModel("TSO");
    await eventually("the counterexample of TSO", async () =>
      /TSO/.test(await panel.frame.locator(".what").innerText()),
    );
  });
  await part("hide-and-show", async () => {
    await panel.focus();
    await panel.press("Home", 1);
    for (let step = 2; step <= 5; step++) await panel.press("ArrowDown", step);
    await workbench.command("File: New Untitled Text File"); // in the same place
    await workbench.tab("Untitled-1").waitFor();
    await panel.current.waitFor({ state: "hidden" });
    await workbench.closeEditor("Untitled-1");
    await panel.current.waitFor();
    assert.equal((await panel.counter()).step, 5);
    await workbench.command("Picket: Show Output");
    await page.locator(".output-view").first().waitFor();
    await workbench.hidePanel();
    await workbench.line("dekker.c", "while (atomic_load_explicit(&flag0").waitFor();
  });
  await part("reload", async () => {
    await workbench.reload(); // the window's own way: it keeps what panels remember
    await panel.ready();
    await eventually("the step of before", async () => (await panel.counter()).step === 5);
    await panel.frame.locator('button[aria-pressed="true"]', { hasText: "Shasha" }).waitFor();
    const line = await panel.line();
    await eventually(`line ${line} to be lit`, async () => (await workbench.highlightedLine("dekker.c")) === line);
    await panel.frame.getByRole("button", { name: "Chronological" }).click();
  });
  await part("wide", async () => {
    await workbench.command("View: Toggle Primary Side Bar Visibility");
    await page.locator(".explorer-folders-view").waitFor({ state: "hidden" });
    if (await page.locator(".part.panel").isVisible()) await workbench.hidePanel(); // a reload may bring it back
    await page.setViewportSize({ width: 2000, height: 1000 });
    await workbench.moveBorderTo(700);
    await panel.frame.locator(".splitter").waitFor(); // steps and picture side by side
    await panel.frame.getByRole("button", { name: "Fit" }).click();
  });
  for (const [name, theme, workbenchClass, pageTheme] of [
    ["light", "Light Modern", "vs", "light"],
    ["high-contrast", "Dark High Contrast", "hc-black", "dark"],
    ["high-contrast-light", "Light High Contrast", "hc-light", "light"],
    ["dark", "Dark Modern", "vs-dark", "dark"],
  ])
    await part(`theme-${name}`, async () => {
      await workbench.colorTheme(theme, workbenchClass);
      await panel.frame.locator(`html[data-theme="${pageTheme}"]`).waitFor({ state: "attached" });
      await panel.openFences();
      await session.screenshot(`theme-${name}-fences`);
      await panel.closeFences();
    });
  await part("edit-makes-stale", async () => {
    await workbench.replaceText("dekker.c", fixed);
    await panel.frame.locator(".stale", { hasText: "out of date" }).waitFor();
    await eventually("no line to be lit", async () => (await workbench.highlightedLine("dekker.c")) === undefined);
  });
  await part("fixed", async () => {
    await workbench.save("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✓ PSO ✓ ARM64 ✓ POWER ✓ C11 ✓/);
    await eventually("nothing to be underlined", async () => (await workbench.squiggledLines("dekker.c")).length === 0);
    await workbench.goToLine("dekker.c", lineOf("int main"));
    await workbench.untilLens(/Picket: SC [^✗…?]*ARM64, POWER, C11 ✓ up to 8/);
    await panel.frame.locator(".stale", { hasText: "out of date" }).waitFor();
    assert.equal(await workbench.highlightedLine("dekker.c"), undefined, "nothing is lit any more");
  });
  await part("stop-from-the-status-bar", async () => {
    await workbench.command("View: Toggle Primary Side Bar Visibility");
    await workbench.openFile("long.c");
    await workbench.untilStatus(/(SC|TSO|PSO|ARM64|POWER|C11) \d/);
    await workbench.cancelCheck();
    await workbench.untilLens(/Picket: (?!.*checking)/);
  });
  await part("worker-killed", async () => {
    await workbench.command("Picket: Check Now");
    await workbench.untilStatus(/(SC|TSO|PSO|ARM64|POWER|C11) \d/);
    const [busy] = workersAndServers(session.extensions).workers;
    process.kill(busy, "SIGKILL");
    await eventually("the log to tell", () => /worker ended by signal 9/.test(session.log()));
    await workbench.untilStatus(/(SC|TSO|PSO|ARM64|POWER|C11) \d/); // another one does it
    assert(!workersAndServers(session.extensions).workers.includes(busy));
    await workbench.cancelCheck();
    await workbench.closeEditor("long.c"); // else it is checked again by the next server
    await workbench.openFile("dekker.c");
    await breakDekker();
    await workbench.goToLine("dekker.c", lineOf("int main"));
    await workbench.untilLens(/SC ✓.*TSO ✗.*PSO ✗.*ARM64 ✗.*POWER ✗.*C11 ✗(?!.*edited)/);
    // The panel shows the new counterexample, without being asked.
    await eventually(
      "the panel to be up to date",
      async () => (await panel.frame.locator(".stale").innerText()) === "",
    );
  });
  await part("light-bulb", async () => {
    await workbench.goToLine("dekker.c", lineOf("int main"));
    await workbench.untilLens(/Add fences/); // proved
    await workbench.goToLine("dekker.c", failing);
    const titles = await workbench.quickFixes("dekker.c");
    assert.match(
      titles[0],
      /add \d+ fences.* \(verified( up to \d+ iterations)? for SC, TSO, PSO, ARM64, POWER and C11, minimal\)/i,
    );
    await session.screenshot("light-bulb-menu");
    await page.keyboard.press("Enter");
    await workbench.untilDirty("dekker.c");
    await workbench.line("dekker.c", "atomic_thread_fence").waitFor();
    await panel.frame.locator(".stale", { hasText: "out of date" }).waitFor();
  });
  await part("fixed-by-the-light-bulb", async () => {
    await workbench.save("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✓ PSO ✓ ARM64 ✓ POWER ✓ C11 ✓/);
    const saved = readFileSync(path.join(session.workspace, "dekker.c"), "utf8");
    assert(saved.split("atomic_thread_fence(").length > dekker.split("atomic_thread_fence(").length, saved);
    await eventually("nothing to be underlined", async () => (await workbench.squiggledLines("dekker.c")).length === 0);
    await workbench.goToLine("dekker.c", lineOf("int main") + saved.split("\n").length - dekker.split("\n").length);
    await workbench.untilLens(/Picket: SC [^✗…?]*ARM64, POWER, C11 ✓ up to 8/);
  });
  await part("fences-from-the-panel", async () => {
    await breakDekker();
    await panel.openFences();
    const changes = await panel.frame.locator(".fix-changes li").allInnerTexts();
    assert(
      changes.some((text) => /fence.* line \d+.* keeps the store .* before/.test(text)),
      changes.join(),
    );
    assert((await panel.frame.locator(".fix-preview .added").count()) >= changes.length);
    assert((await panel.frame.locator(".fix-preview .added", { hasText: "atomic_thread_fence" }).count()) > 0);
    assert((await panel.frame.locator(".picture-svg .edge.cycle.cut").count()) > 0, "what is cut is marked");
    await session.screenshot("fences-in-the-panel");
    await panel.frame.getByRole("button", { name: "Apply" }).click();
    await workbench.untilDirty("dekker.c");
    await workbench.line("dekker.c", "int main").click(); // the panel has the focus, and cannot be saved
    await workbench.save("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✓ PSO ✓ ARM64 ✓ POWER ✓ C11 ✓/);
  });
  await part("fences-from-the-lens", async () => {
    await breakDekker();
    await workbench.goToLine("dekker.c", lineOf("int main"));
    await workbench.clickLens("Add fences", workbench.page.locator('.tab.dirty[data-resource-name="dekker.c"]'));
    await breakDekker();
  });
  await part("only-arm64-power-and-c11", async () => {
    const line = (text) => released.split("\n").findIndex((one) => one.includes(text)) + 1;
    await workbench.replaceText("dekker.c", released);
    await workbench.save("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✓ PSO ✓ ARM64 ✗ POWER ✗ C11 ✗/);
    await workbench.goToLine("dekker.c", line("assert(message")); // the text is shorter now, and its lines may be out of sight
    await eventually("the assertion to be underlined", async () =>
      (await workbench.squiggledLines("dekker.c")).includes(line("assert(message")),
    );
    await eventually("the panel to show ARM64's counterexample", async () =>
      /ARM64 \(aarch64\)/.test(await panel.frame.locator(".what").innerText()),
    );
    await session.screenshot("only-arm64-power-and-c11-panel");
    await workbench.goToLine("dekker.c", line("int main"));
    await workbench.untilLens(/SC ✓.*TSO ✓.*PSO ✓.*ARM64 ✗.*POWER ✗.*C11 ✗/);
    await workbench.untilLens(/Add fences/);
    await workbench.goToLine("dekker.c", line("assert(message"));
    const titles = await workbench.quickFixes("dekker.c");
    assert.match(titles[0], /verified for SC, TSO, PSO, ARM64, POWER and C11, minimal/);
    await page.keyboard.press("Enter");
    await workbench.untilDirty("dekker.c");
    await workbench.save("dekker.c");
    await workbench.untilStatus(/SC ✓ TSO ✓ PSO ✓ ARM64 ✓ POWER ✓ C11 ✓/);
    await breakDekker();
  });
  await part("choose-models", async () => {
    await workbench.command("Picket: Choose Memory Models", { opensPick: true });
    const rows = workbench.quickInput.locator(".monaco-list-row");
    await eventually("all models", async () => (await rows.count()) === 6);
    const texts = await rows.allInnerTexts(); // each with its explanation
    for (const [index, name] of ["SC", "TSO", "PSO", "ARM64", "POWER", "C11"].entries())
      assert(texts[index].startsWith(name), texts[index]);
    assert.match(await workbench.quickInput.innerText(), /6 Selected/, "all are chosen from the start");
    await session.screenshot("choose-models-list");
    await workbench.pressUntilGone("Escape", page.locator(".quick-input-widget"));
  });
  await part("log-without-errors", async () => {
    const log = session.log();
    assert.match(log, /Server: .*bin\/picket/);
    assert.deepEqual(
      log.split("\n").filter((line) => /\[(error|warning)\]/.test(line)),
      [],
    );
    assert.deepEqual(
      session.console.filter(
        (line) => /Content Security Policy|pageerror/.test(line) && !/vscode-cdn|code-server/.test(line),
      ),
      [],
    );
    assert.deepEqual([...session.otherHosts], [], "nothing is sent anywhere");
  });
  await part("server-killed", async () => {
    const [server] = workersAndServers(session.extensions).servers;
    process.kill(server, "SIGKILL");
    await eventually("another server", () => {
      const { servers } = workersAndServers(session.extensions);
      return servers.length > 0 && !servers.includes(server);
    });
    await workbench.untilStatus(/SC ✓ TSO ✗ PSO ✗ ARM64 ✗ POWER ✗ C11 ✗/);
    await workbench.line("dekker.c", "int main").waitFor();
    await eventually("the assertion to be underlined", async () =>
      (await workbench.squiggledLines("dekker.c")).includes(failing),
    );
  });
  await part("keys", async () => {
    await workbench.command("Preferences: Open Keyboard Shortcuts");
    const rows = page.locator(".keybindings-table-container .monaco-list-row");
    const isOurs = (text) => /Ctrl\s*\+?\s*Alt\s*\+?\s*P/i.test(text.replace(/\s+/g, " "));
    await workbench.attempt("search of keys", async (limit) => {
      await page.locator(".keybindings-editor .search-container").first().click(limit);
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText('"ctrl+alt+p"');
      await eventually(
        "the list of keys",
        async () => (await rows.count()) > 0 && (await rows.allInnerTexts()).every(isOurs),
        limit.timeout,
      );
    });
    for (const text of await rows.allInnerTexts()) assert.match(text, /Picket/, "the first key belongs to nobody else");
  });
  await workbench.pressUntilGone("Escape", page.locator(".keybindings-editor"));
  await part("settings", async () => {
    await workbench.quickOpen("dekker.c");
    await workbench.statusMenu("Settings");
    await page
      .locator(".settings-editor .settings-count-widget", { hasText: `${userSettings.length} Settings Found` })
      .waitFor();
  });
  await workbench.pressUntilGone("Escape", page.locator(".settings-editor"));
  await part("walkthrough", async () => {
    await workbench.command("Picket: Get Started");
    await workbench.moveBorderTo(1490);
    await page.locator(".gettingStartedContainer", { hasText: "Get started with Picket" }).waitFor();
    await page.locator(".gettingStartedContainer .webview").waitFor(); // the text beside the steps
  });
  await part("example-of-the-walkthrough", async () => {
    await page.locator(".gettingStartedContainer .monaco-button").filter({ hasText: "Open dekker.c" }).first().click();
    await page.locator('.tab.active[data-resource-name="dekker.c"]').waitFor();
    await workbench.untilStatus(/SC ✓ TSO ✗ PSO ✗ ARM64 ✗ POWER ✗ C11 ✗/);
    await workbench.command("Picket: Get Started");
    await eventually(
      "the first two steps to be done",
      async () => (await page.locator(".gettingStartedContainer .complete[data-done-step-id]").count()) >= 2,
    );
  });
  await part("several-folders", async () => {
    const folders = ["one", "two"].map((name) => ({ path: path.join(session.root, name) }));
    for (const folder of folders) {
      mkdirSync(folder.path);
      writeFileSync(path.join(folder.path, `${path.basename(folder.path)}.c`), dekker);
    }
    writeFileSync(path.join(folders[1].path, ".picket.toml"), 'models = ["pso"]\n');
    const file = path.join(session.root, "both.code-workspace");
    writeFileSync(file, JSON.stringify({ folders }));
    await workbench.attempt("workspace", async ({ timeout }) => {
      await session.openWorkspace(file); // now and then VS Code reads such a file too early, and shows no folders
      await page
        .locator('.explorer-folders-view .monaco-list-row[aria-label^="two"]')
        .first()
        .waitFor({ timeout: 6 * timeout });
    });
    for (const [name, verdicts] of [
      ["one.c", /Picket: SC ✓ TSO ✗ PSO ✗ ARM64 ✗ POWER ✗ C11 ✗$/],
      ["two.c", /Picket: PSO ✗$/],
    ]) {
      await workbench.quickOpen(name);
      await workbench.untilStatus(verdicts);
    }
  });
  await part("missing-server", async () => {
    mkdirSync(path.join(session.workspace, ".vscode"));
    writeFileSync(
      path.join(session.workspace, ".vscode", "settings.json"),
      JSON.stringify({ "picket.server.path": "/nowhere/picket" }),
    );
    await session.open();
    const message = page.locator(".notification-toast", { hasText: "/nowhere/picket" });
    await message.waitFor();
    assert.equal(await page.locator(".notification-toast", { hasText: "Picket" }).count(), 1, "one message");
    await message.getByRole("button", { name: "Open Settings" }).click();
    await page.locator(".settings-editor", { hasText: "Server: Path" }).waitFor();
  });
}

let failure;
try {
  await story();
} catch (error) {
  failure = error;
  console.error(`FAILED ${error.message}`);
}
if (existsSync(path.join(session.data, "logs"))) writeFileSync(path.join(options.out, "picket.log"), session.log());
await session.end(options.keep);
console.log(
  `${((Date.now() - begin) / 1000).toFixed(0)} s; keys pressed again: ${workbench?.retries.join(" ") || "none"}; ${failure ? "FAILED" : "passed"}`,
);
process.exit(failure ? 1 : 0);

// VS Code's window, as a person uses it. Every function waits for the effect of what it does.
import assert from "node:assert/strict";
import { eventually, Patience } from "./session.mjs";

const mostTries = 12;
/** Of the waits of one try. Ever longer: a slow machine is not one that has lost a key. */
const limitOf = (tries) => ({ timeout: 5000 * (tries + 1) });

export class Workbench {
  constructor(page) {
    this.page = page;
    this.status = page.locator(".statusbar-item", { hasText: "Picket" }).first();
    this.lens = page.locator(".codelens-decoration");
    this.quickInput = page.locator(".quick-input-widget:visible");
    this.panel = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
    this.retries = [];
  }

  /** A key pressed while VS Code moves the focus is lost: pressed again until its effect is seen. */
  async pressUntil(key, effect, focus) {
    for (let tries = 0; ; tries++) {
      if (focus) await focus();
      await this.page.keyboard.press(key);
      try {
        return await effect.waitFor(limitOf(tries));
      } catch (error) {
        if (tries === mostTries) throw error;
        this.retries.push(key);
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async pressUntilGone(key, element) {
    await eventually(`${key} to take effect`, async () => {
      await this.page.keyboard.press(key);
      return element.waitFor({ state: "hidden", timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** What VS Code closes when the focus moves is opened again. `body` gets the limit of its waits. */
  async attempt(what, body) {
    for (let tries = 0; ; tries++) {
      try {
        return await body(limitOf(tries));
      } catch (error) {
        if (tries === mostTries) throw error;
        this.retries.push(what);
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async command(title, { opensPick = false } = {}) {
    const input = this.quickInput.locator("input");
    await this.attempt(title, async (limit) => {
      await this.page.keyboard.press("F1");
      await input.waitFor(limit);
      await input.fill(`>${title}`, limit);
      await this.quickInput.locator(".monaco-list-row").filter({ hasText: title }).first().click(limit);
    });
    if (!opensPick) await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  async reload() {
    await this.page.evaluate(() => (globalThis.before = true));
    await this.command("Developer: Reload Window", { opensPick: true });
    await eventually("another window", () =>
      this.page
        .evaluate(() => !globalThis.before && document.querySelector(".monaco-workbench") !== null)
        .catch(() => false),
    );
  }

  async hidePanel() {
    await this.attempt("hide panel", async (limit) => {
      await this.command("View: Hide Panel");
      await this.page.locator(".part.panel").waitFor({ state: "hidden", ...limit });
    });
  }

  pick(text, limit = {}) {
    return this.quickInput.locator(".monaco-list-row").filter({ hasText: text }).first().click(limit);
  }

  async openFile(name) {
    await this.attempt(`open ${name}`, async (limit) => {
      await this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).dblclick(limit);
      await this.page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor(limit);
    });
  }

  /** Opens a file of the workspace by its name. */
  async quickOpen(name) {
    await this.attempt(name, async (limit) => {
      await this.page.keyboard.press("Control+p");
      await this.quickInput.locator("input").fill(name, limit);
      await this.pick(name, limit);
      await this.page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor(limit);
    });
  }

  /** The editor that shows a file. */
  editor(name) {
    return this.page
      .locator(`.editor-instance[aria-label*="${name}"], .editor-instance:has([data-uri$="/${name}"])`)
      .first();
  }

  line(name, text) {
    return this.editor(name).locator(".view-line").filter({ hasText: text }).first();
  }

  /** Puts the cursor on a line of the active editor. */
  async goToLine(name, line) {
    await this.attempt(`line ${line}`, async (limit) => {
      await this.command("Go to Line/Column", { opensPick: true });
      await this.quickInput.locator("input").fill(`:${line}`, limit);
      await this.page.keyboard.press("Enter");
      await eventually(`the cursor on line ${line}`, async () => (await this.cursorLine(name)) === line, limit.timeout);
    });
  }

  /** The line of the cursor, from 1. Also while something else has the focus, when the status bar does not tell. */
  async cursorLine(name) {
    const numbers = await this.editor(name).locator(".line-numbers.active-line-number").allInnerTexts();
    return numbers.length === 1 ? Number(numbers[0]) : undefined;
  }

  untilCursorAt(name, line) {
    return eventually(`the cursor on line ${line}`, async () => (await this.cursorLine(name)) === line);
  }

  /** The line (from 1) with the background of the current step, or undefined. It is found as a person does: by colour. */
  highlightedLine(name) {
    return this.editor(name).evaluate((editor) => {
      const lit = [...editor.querySelectorAll(".view-overlays [class*=TextEditorDecorationType]")].filter((element) => {
        const { backgroundColor } = getComputedStyle(element);
        return backgroundColor !== "rgba(0, 0, 0, 0)" && backgroundColor !== "transparent";
      });
      const tops = [...new Set(lit.map((element) => Math.round(element.getBoundingClientRect().top)))];
      if (tops.length !== 1) return undefined;
      const number = [...editor.querySelectorAll(".line-numbers")].find(
        (element) => Math.abs(element.getBoundingClientRect().top - tops[0]) < 3,
      );
      return number ? Number(number.textContent) : undefined;
    });
  }

  /** The lines (from 1) that have an error underlined, as far as they are in sight. */
  squiggledLines(name) {
    return this.editor(name).evaluate((editor) => {
      const numbers = [...editor.querySelectorAll(".line-numbers")].map((element) => ({
        box: element.getBoundingClientRect(),
        number: Number(element.textContent),
      }));
      const lines = [...editor.querySelectorAll(".squiggly-error")].map((element) => {
        const { top, height } = element.getBoundingClientRect();
        return numbers.find(({ box }) => Math.abs(box.top + box.height / 2 - (top + height / 2)) < box.height / 2)
          ?.number;
      });
      return [...new Set(lines)];
    });
  }

  /** Replaces the text of an editor. */
  async replaceText(name, text) {
    const focused = this.editor(name)
      .locator(".monaco-editor.focused, .native-edit-context:focus, textarea:focus")
      .first();
    await this.editor(name).locator(".view-lines").click();
    await focused.waitFor();
    await this.pressUntil("Control+a", this.page.locator('[id="status.editor.selection"]', { hasText: "selected" }));
    await this.page.keyboard.insertText(text);
    await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor();
  }

  save(name) {
    return this.pressUntil("Control+s", this.page.locator(`.tab:not(.dirty)[data-resource-name="${name}"]`));
  }

  /** Until the status bar says so. */
  async untilStatus(pattern) {
    await eventually(`the status bar to say ${pattern}`, async () => pattern.test(await this.statusText()));
  }

  async statusText() {
    return (await this.status.innerText().catch(() => "")).trim();
  }

  /** Chooses in the menu of the status bar item. A menu that closes before the click is opened again; `done` says that it was not. */
  async statusMenu(entry, done = async () => false) {
    await this.attempt("status bar", async (limit) => {
      if (await done()) return; // the try before was only slow
      await this.status.click(limit);
      await this.pick(entry, limit);
    });
  }

  /** Cancels the check from the status bar. While a check takes all cores the menu may be slow. */
  async cancelCheck() {
    const cancelled = async () => /cancelled/.test(await this.statusText());
    await this.attempt("cancel", async (limit) => {
      await this.statusMenu("Cancel", cancelled);
      await eventually("the check to be cancelled", cancelled, limit.timeout);
    });
  }

  /** The titles in the menu of the light bulb at the cursor. It is open afterwards, with the first one chosen. */
  async quickFixes(name) {
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    await this.attempt("quick fixes", async (limit) => {
      await this.editor(name).locator(".view-lines").press("Control+.", limit);
      await rows.first().waitFor(limit);
    });
    return rows.allInnerTexts();
  }

  /** Until the text of a file is edited and not saved. */
  untilDirty(name) {
    return this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor();
  }

  async colorTheme(label, workbenchClass) {
    await this.attempt(label, async (limit) => {
      await this.command("Preferences: Color Theme", { opensPick: true });
      await this.quickInput.locator("input").fill(label, limit);
      await this.quickInput.locator(`.monaco-list-row.focused[aria-label^="${label}"]`).waitFor(limit);
      await this.page.keyboard.press("Enter");
      await this.page.locator(".quick-input-widget").waitFor({ state: "hidden", ...limit });
    });
    await this.page.locator(`.monaco-workbench.${workbenchClass}`).waitFor();
  }

  async untilLens(pattern) {
    await eventually(`a lens with ${pattern}`, async () => {
      const texts = await this.lens.allInnerTexts().catch(() => []);
      return texts.some((text) => pattern.test(text));
    });
  }

  /** A lens that is drawn anew just then does not hear the click. */
  clickLens(text, effect) {
    return this.attempt(text, async (limit) => {
      await this.lens.locator("a").filter({ hasText: text }).first().click(limit);
      await effect.waitFor(limit);
    });
  }

  tab(name) {
    return this.page.locator(`.tab[data-resource-name="${name}"]`);
  }

  /** Closes the active editor. */
  async closeEditor(name) {
    await this.attempt(`close ${name}`, async (limit) => {
      if (await this.tab(name).count()) await this.command("View: Close Editor");
      await this.tab(name).waitFor({ state: "detached", ...limit });
    });
  }

  /** Drags the border between the two groups of editors to a place. A border that is laid out just then is missed. */
  async moveBorderTo(target) {
    const second = this.page.locator(".editor-group-container").nth(1);
    await this.attempt("border", async (limit) => {
      const { x, y, height } = await second.boundingBox();
      await this.page.mouse.move(x, y + height / 2);
      await this.page.locator(".monaco-sash.vertical.hover").first().waitFor(limit);
      await this.page.mouse.down();
      await this.page.mouse.move(target, y + height / 2, { steps: 5 });
      await this.page.mouse.up();
      await eventually(
        "the border to move",
        async () => Math.abs((await second.boundingBox()).x - target) < 8,
        limit.timeout,
      );
    });
  }
}

/** The page in the counterexample panel. */
export class Panel {
  constructor(workbench) {
    this.workbench = workbench;
    this.frame = workbench.panel;
    this.current = this.frame.locator('tr[aria-current="step"]');
  }

  async ready() {
    await this.current.waitFor();
  }

  /** {step, of}, from 1. */
  async counter() {
    const [step, of] = (await this.frame.locator(".counter").innerText()).split(" of ").map(Number);
    return { step, of };
  }

  /** The line of the current step as the page shows it; undefined if the step has none. */
  async line() {
    const text = await this.current.locator(".source .line").first().innerText({ timeout: Patience });
    const number = Number(text);
    assert(Number.isInteger(number), `the step is in another file: ${text}`);
    return number;
  }

  async focus() {
    await this.frame.locator(".steps-scroll").focus();
  }

  /** Shows the counterexample of a model: a list of them if there are more than a few. */
  async chooseModel(name) {
    const list = this.frame.locator(".switcher select");
    const titles = await list.locator("option").allInnerTexts();
    const index = titles.findIndex((title) => title.startsWith(`${name}:`));
    assert(index >= 0, `${name} is none of ${titles}`);
    await list.selectOption({ index });
  }

  /** Shows the fences that were proved, once there are some. */
  async openFences() {
    await this.frame.getByRole("button", { name: "Add fences", expanded: false }).click();
    await this.frame.locator(".fix-preview .added").first().waitFor();
  }

  async closeFences() {
    await this.frame.getByRole("button", { name: "Add fences", expanded: true }).click();
    await this.frame.locator(".fixes").waitFor({ state: "hidden" });
  }

  async press(key, step) {
    await this.workbench.page.keyboard.press(key);
    await eventually(`step ${step}`, async () => (await this.counter()).step === step);
  }
}

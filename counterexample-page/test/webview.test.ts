// The page under the policy of a VS Code webview.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, current, visit } from "./browser";
import { fixture } from "./fixtures";

describe("in a VS Code webview", () => {
  const nonce = "r4nd0m";
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:`;
  const html =
    () => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
    <link rel="icon" href="data:,"><style nonce="${nonce}">${readFileSync("dist/page.css", "utf8")}</style></head>
    <body class="vscode-dark"><div id="picket-page"></div><script nonce="${nonce}">${readFileSync("dist/page.js", "utf8")}</script></body></html>`;

  /// What VS Code gives the page.
  const init = () => {
    const w = window as unknown as { sent: unknown[]; violations: string[]; state: unknown; acquireVsCodeApi: unknown };
    w.sent = [];
    w.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      w.violations.push(`${event.violatedDirective} ${event.sample} ${event.blockedURI}`),
    );
    w.acquireVsCodeApi = () => ({
      postMessage: (message: unknown) => w.sent.push(JSON.parse(JSON.stringify(message))),
      getState: () => w.state,
      setState: (state: unknown) => (w.state = JSON.parse(JSON.stringify(state)) as unknown),
    });
  };
  interface Message {
    type: string;
    [key: string]: unknown;
  }
  const sent = (page: Page, type: string) =>
    page.evaluate(
      (wanted) => (window as unknown as { sent: Message[] }).sent.filter((message) => message.type === wanted),
      type,
    );
  const send = (page: Page, message: unknown) => page.evaluate((m) => window.postMessage(m, "*"), message);
  const inWebview = (body: (page: Page) => Promise<void>) =>
    visit(
      html(),
      async (page) => {
        await body(page);
        assert.deepEqual(await page.evaluate(() => (window as unknown as { violations: string[] }).violations), []);
      },
      { init },
    );
  const ready = (page: Page) => page.locator("table.steps tbody tr").first().waitFor();

  test("the policy of this test forbids style attributes", () =>
    visit(
      html(),
      async (page) => {
        await page.evaluate(() => document.body.setAttribute("style", "color: red"));
        await page.waitForFunction(() => (window as unknown as { violations: string[] }).violations.length > 0);
      },
      { init },
    ).then(
      () => assert.fail("the browser did not complain"),
      (error: unknown) => assert.match(String(error), /Content Security Policy/),
    ));

  test("waits, says it is ready, and shows what it is sent", () =>
    inWebview(async (page) => {
      assert.equal(await page.locator(".message").innerText(), "Waiting for a counterexample.");
      assert.equal((await sent(page, "ready")).length, 1);
      await send(page, { type: "counterexample", data: fixture("dekker") });
      await ready(page);
      assert.equal(await page.locator("table.steps tbody tr").count(), 14);
      assert.equal(await page.getByRole("button", { name: /Theme/ }).count(), 0, "the editor has the theme");
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
      await page.evaluate(() => (document.body.className = "vscode-light"));
      await page.locator("html[data-theme=light]").waitFor();
      assert.deepEqual(await sent(page, "select"), [], "opening moves no cursor");
      await page.evaluate(() =>
        document.documentElement.style.setProperty("--vscode-editor-background", "rgb(1, 2, 3)"),
      );
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(1, 2, 3)");
    }));

  test("everything works under the policy", () =>
    inWebview(async (page) => {
      await send(page, { type: "counterexample", data: [fixture("ring"), fixture("dekker")] });
      await ready(page);
      for (const key of ["ArrowDown", "n", "v", "End", "+", "-", "0", "v"]) await page.keyboard.press(key);
      await page.locator(".canvas g.node.current text").first().hover();
      await page.getByRole("separator").press("ArrowRight");
      await page.getByText("Keys", { exact: true }).click();
      await page.getByRole("button", { name: "TSO: assertion, line 21" }).click();
      assert.deepEqual(await sent(page, "model"), [{ type: "model", model: "tso" }]);
      for (const format of ["SVG", "PNG", "DOT", "JSON"])
        await page.getByRole("button", { name: `Export ${format}` }).click();
      await page.getByRole("button", { name: "Copy as text" }).click();
      await becomes(
        async () => (await sent(page, "export")).map((message) => message["format"]).sort(),
        ["dot", "json", "png", "svg", "text"],
      );
      assert.deepEqual((await sent(page, "export")).map((message) => message["name"]).sort(), [
        "dekker-tso-chronological.dot",
        "dekker-tso-chronological.png",
        "dekker-tso-chronological.svg",
        "dekker-tso-chronological.text",
        "dekker-tso.json",
      ]);
      const content = new Map(
        (await sent(page, "export")).map((message) => [message["format"], String(message["content"])]),
      );
      const data = fixture("dekker");
      assert.equal(content.get("dot"), data.chronological!.dot);
      assert.deepEqual(JSON.parse(content.get("json")!), data);
      assert.match(content.get("png")!, /^data:image\/png;base64,iVBOR/);
      assert.ok(content.get("png")!.length > 10_000);
      assert.match(content.get("svg")!, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.match(content.get("text")!, /Model: TSO/);
    }));

  test("selecting tells the editor the place, revealing does not answer", () =>
    inWebview(async (page) => {
      const data = fixture("dekker");
      await send(page, { type: "counterexample", data });
      await ready(page);
      await page.locator("table.steps tbody tr").nth(3).click();
      const { file, line, column } = data.events[data.steps[3]!.event]!;
      assert.deepEqual(await sent(page, "select"), [
        { type: "select", event: data.steps[3]!.event, file, line, column },
      ]);
      await send(page, { type: "reveal", file: "/home/me/dekker.c", line: 30 });
      await becomes(() => current(page), "7");
      await send(page, { type: "reveal", file: "/home/me/dekker.c", line: 30 });
      await send(page, { type: "reveal", file: "/home/me/dekker.c", line: 2 });
      await send(page, { type: "stale" });
      await page.getByText("The file has changed; this counterexample is out of date.").waitFor();
      assert.equal(await current(page), "7", "a line that is shown already, or has no step, moves nothing");
      assert.equal((await sent(page, "select")).length, 1);
      await send(page, { type: "counterexample", data });
      await becomes(() => page.locator(".stale").innerText(), "");
    }));

  test("the editor says with which of several to begin", () =>
    inWebview(async (page) => {
      const data = [fixture("account"), fixture("dekker")];
      const file = () => page.locator(".file").innerText();
      await send(page, { type: "counterexample", data, index: 1 });
      await becomes(file, "dekker.c");
      await send(page, { type: "counterexample", data, index: 0 });
      await becomes(file, "account.c");
      await send(page, { type: "counterexample", data, index: 7 });
      await becomes(file, "account.c");
      await page.getByRole("button", { name: "TSO: assertion, line 21" }).click();
      await send(page, { type: "counterexample", data });
      await page.locator("table.steps tbody tr").first().waitFor();
      assert.equal(await file(), "dekker.c", "without a number: the one that was shown");
    }));

  test("the step and the view survive a reload, but not another counterexample", () =>
    inWebview(async (page) => {
      await send(page, { type: "counterexample", data: fixture("dekker") });
      await ready(page);
      await page.keyboard.press("v");
      await page.locator("table.steps tbody tr").nth(4).click();
      const state = await page.evaluate(() => (window as unknown as { state: unknown }).state);
      await page.addInitScript((kept) => ((window as unknown as { state: unknown }).state = kept), state);
      await page.reload();
      await send(page, { type: "counterexample", data: fixture("dekker") });
      await ready(page);
      assert.equal(await current(page), "5");
      assert.equal(await page.getByRole("button", { name: "Shasha-Snir" }).getAttribute("aria-pressed"), "true");
      await send(page, { type: "counterexample", data: fixture("account") });
      await page.getByText("account.c", { exact: true }).waitFor();
      assert.equal(await current(page), "1");
    }));

  test("proved fences are shown with what they cut, and applied", () =>
    inWebview(async (page) => {
      const opener = page.getByRole("button", { name: "Add fences" });
      const place = (line: number) => ({ file: "dekker.c", line, column: 3 });
      const fix = (id: string, title: string, lines: number[]) => ({
        id,
        title,
        models: ["tso"],
        aim: "no-bug",
        diff: `--- a/dekker.c\n+++ b/dekker.c\n@@ -11,2 +11,3 @@\n   flag0 = 1;\n+  fence();\n   while (flag1)\n`,
        changes: lines.map((line) => ({
          text: `a full fence after line ${line}`,
          kind: "fence",
          earlier: place(line),
          later: place(line + 1),
        })),
      });
      await send(page, { type: "counterexample", data: fixture("dekker") });
      await ready(page);
      assert(await opener.isHidden(), "nothing is proved yet");
      await send(page, {
        type: "fixes",
        fixes: [fix("both", "Add 2 fences", [11, 29]), fix("one", "Add 1 fence", [11])],
      });
      await opener.click();
      assert.deepEqual(await page.locator(".fix-choice label").allInnerTexts(), ["Add 2 fences", "Add 1 fence"]);
      assert.match(
        await page.locator(".fix-changes li").first().innerText(),
        /A full fence after line 11 keeps the store of 1 to flag0 .* before the load/,
      );
      assert.equal(await page.locator(".fix-preview .added").innerText(), "\t+\t  fence();");
      assert.equal(await page.locator(".picture-svg .edge.cut").count(), 2);
      await page.getByRole("radio", { name: "Add 1 fence" }).check();
      await becomes(() => page.locator(".picture-svg .edge.cut").count(), 1);
      await page.getByRole("button", { name: "Apply" }).click();
      assert.deepEqual(await sent(page, "applyFix"), [{ type: "applyFix", id: "one" }]);
      await send(page, { type: "stale" });
      await becomes(() => opener.isHidden(), true);
      await becomes(() => page.locator(".picture-svg .edge.cut").count(), 0);
    }));
});

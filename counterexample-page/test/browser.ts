// The page in a real browser: what the tests of it have in common. Each file of tests has a browser of its own.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launch } from "../scripts/browser.mjs";

let browser: Browser | undefined;
let folder: string;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "picket-page-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/// A wait that takes longer has failed. Generous: tests run beside others on small machines.
const patience = 60_000;
let files = 0;

/// Runs `body` on a page with the given HTML, and fails if the page complains or asks the network for anything.
export async function visit(
  html: string,
  body: (page: Page) => Promise<void>,
  options: BrowserContextOptions & { hash?: string; init?: () => void } = {},
) {
  const { hash, init, ...rest } = options;
  const file = path.join(folder, `page${files++}.html`);
  writeFileSync(file, html);
  const context = await browser!.newContext({ viewport: { width: 1280, height: 800 }, ...rest });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
    });
    if (init) await page.addInitScript(init);
    await page.goto(pathToFileURL(file).href + (hash ?? ""));
    await body(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, []);
}

export const current = (page: Page) => page.locator("tr[aria-current=step] th button").innerText();

/// Waits until `read` gives `expected`.
export async function becomes<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const end = Date.now() + patience;
  let seen = await read();
  while (JSON.stringify(seen) !== JSON.stringify(expected) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // for the page to get on with it
    seen = await read();
  }
  assert.deepEqual(seen, expected);
}

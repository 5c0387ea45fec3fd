// The page in a real browser, alone as a file and under the policy of a VS Code webview.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { pageOf } from "../scripts/assemble.mjs";
import { launch } from "../scripts/browser.mjs";
import { fixture, fixtureNames } from "./fixtures";

let browser: Browser;
let folder: string;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "picket-page-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;

/// Runs `body` on a page with the given HTML, and fails if the page complains or asks the network for anything.
async function visit(html: string, body: (page: Page) => Promise<void>, options: BrowserContextOptions & { hash?: string; init?: () => void } = {}) {
  const { hash, init, ...rest } = options;
  const file = path.join(folder, `page${files++}.html`);
  writeFileSync(file, html);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...rest });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
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

const current = (page: Page) => page.locator("tr[aria-current=step] th button").innerText();
const lit = (page: Page) => page.locator(".canvas g.node.current").evaluateAll((nodes) => nodes.map((node) => node.id));
const viewBox = (page: Page) => page.locator(".canvas svg").getAttribute("viewBox");

/// Waits until `read` gives `expected`.
async function becomes<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const end = Date.now() + 10_000;
  let seen = await read();
  while (JSON.stringify(seen) !== JSON.stringify(expected) && Date.now() < end) seen = await read();
  assert.deepEqual(seen, expected);
}

async function downloaded(page: Page, format: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `Export ${format}` }).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

describe("the page alone", () => {
  for (const name of fixtureNames)
    test(`${name}: says what went wrong and shows every step`, () =>
      visit(pageOf(fixture(name)), async (page) => {
        const data = fixture(name);
        assert.equal(await page.locator("h1").innerText(), data.sentence.replaceAll("`", ""));
        assert.ok((await page.locator("p.finding").innerText()).includes(`${data.file}:${data.bug.line}`));
        assert.equal(await page.locator("table.steps tbody tr").count(), data.steps.length);
        assert.equal(await page.locator("tr.strange").count(), data.steps.filter((step) => step.strange).length);
        assert.equal(await page.locator(".remark").count(), data.steps.filter((step) => step.remark).length);
        assert.equal(await current(page), "1");
        assert.ok(await page.locator(".canvas svg g.node").count());
      }));

  test("keys step, and the state and the announcement follow", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const live = page.locator("#announcement");
      for (const key of ["ArrowDown", "j", "ArrowDown"]) await page.keyboard.press(key);
      assert.equal(await current(page), "4");
      assert.equal(await live.innerText(), "Step 4 of 14, left, line 12: reads 0 from flag1.");
      assert.equal(await page.locator(".queue li").allInnerTexts().then((all) => all.join()), "flag0 = 1");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("k");
      assert.equal(await current(page), "2");
      await page.keyboard.press("End");
      assert.equal(await current(page), "14");
      await page.keyboard.press("ArrowDown");
      assert.equal(await current(page), "14");
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowUp");
      assert.equal(await current(page), "1");
      await page.keyboard.press("n");
      assert.equal(await current(page), "3");
      await page.keyboard.press("n");
      assert.equal(await current(page), "7");
      await page.keyboard.press("p");
      assert.equal(await current(page), "3");
      await page.keyboard.press("Control+j");
      assert.equal(await current(page), "3", "keys with Control belong to the browser");
    }));

  test("changed variables are marked, with the value before", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      assert.equal(await page.locator(".variables tr.changed").count(), 0);
      await page.locator("table.steps tbody tr").nth(8).click();
      assert.match(await page.locator(".variables tr.changed").innerText(), /^flag0\s+\u25b8\s+1 was 0$/);
    }));

  test("locks and the call stack belong to the step", () =>
    visit(pageOf(fixture("account")), async (page) => {
      assert.match(await page.locator(".state").innerText(), /none held/);
      await page.locator("table.steps tbody tr").nth(3).click();
      assert.equal(await page.locator(".locks").innerText(), "shop.lock held by customer");
      assert.deepEqual((await page.locator(".stack li").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")), ["read_balance line 12", "customer line 26"]);
      assert.equal(await page.locator(".buffers").count(), 0, "no store buffers under SC");
    }));

  test("the slider and the buttons step", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      await page.getByRole("slider", { name: "Step" }).fill("9");
      assert.equal(await current(page), "9");
      await page.getByRole("slider", { name: "Step" }).press("ArrowRight");
      assert.equal(await current(page), "10");
      await page.getByRole("slider", { name: "Step" }).press("ArrowDown");
      assert.equal(await current(page), "11", "down is forward everywhere");
      await page.getByRole("button", { name: "Step back" }).click();
      assert.equal(await current(page), "10");
      await page.getByRole("button", { name: "Last step" }).click();
      assert.equal(await current(page), "14");
      assert.equal(await page.getByRole("button", { name: "Step forward" }).getAttribute("aria-disabled"), "true");
      await page.getByRole("button", { name: "First step" }).click();
      await page.getByRole("button", { name: "Next strange step" }).click();
      assert.equal(await current(page), "3");
    }));

  test("the step's box is lit, later boxes and waiting stores differ", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const data = fixture("dekker");
      await page.locator("table.steps tbody tr").nth(6).click();
      assert.deepEqual(await lit(page), [`event-${data.steps[6]!.event}`]);
      const boxes = async (name: string) => page.locator(`.canvas g.node.${name}`).evaluateAll((nodes) => nodes.map((node) => node.id).sort());
      const later = data.steps.slice(7).map((step) => `event-${step.event}`).sort();
      assert.deepEqual(await boxes("later"), later);
      const waiting = data.steps[6]!.buffers.flat().map((entry) => `event-${entry.store}`).sort();
      assert.equal(waiting.length, 3);
      assert.deepEqual(await boxes("waiting"), waiting);
      assert.ok(await page.locator(".canvas g.edge.near").count());
    }));

  test("a click on a box selects its step, hovering tells about it", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const event = fixture("dekker").steps[6]!.event;
      await page.locator(`.canvas #event-${event} text`).first().hover();
      assert.match(await page.locator(".tooltip").innerText(), /^Step 7 of 14, right, line 30: reads 0 from flag0\. Memory still/);
      await page.keyboard.press("Escape");
      assert.ok(await page.locator(".tooltip").isHidden());
      await page.locator(`.canvas #event-${event} text`).first().click();
      assert.equal(await current(page), "7");
    }));

  test("in the Shasha-Snir view an update lights its store", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const data = fixture("dekker");
      await page.getByRole("button", { name: "Shasha-Snir" }).click();
      assert.equal(await page.getByRole("button", { name: "Shasha-Snir" }).getAttribute("aria-pressed"), "true");
      assert.equal(await page.locator(".canvas g.node").count(), data.shashaSnir!.nodes.length);
      assert.ok((await page.locator(".canvas g.edge.cycle").count()) === 4);
      await page.locator("table.steps tbody tr").nth(8).click();
      const update = data.events[data.steps[8]!.event]!;
      assert.equal(update.kind, "update");
      assert.deepEqual(await lit(page), [`event-${update.partner}`]);
      await page.keyboard.press("v");
      assert.deepEqual(await lit(page), [`event-${data.steps[8]!.event}`]);
      assert.equal(await page.locator(".canvas g.node").count(), data.chronological!.nodes.length, "the legend of the picture is left out");
    }));

  test("a folded box says what it stands for and is lit for all its steps", () =>
    visit(pageOf(fixture("ring")), async (page) => {
      await page.getByRole("button", { name: "Fit" }).click();
      const id = await page.locator(".canvas g.node.fold").first().getAttribute("id");
      await page.locator(`.canvas #${id}`).click();
      assert.match(await page.locator(".notice").innerText(), /^This box stands for \d+ events: steps \d+ to \d+\.$/);
      assert.deepEqual(await lit(page), [id]);
      const step = Number(await current(page));
      await page.locator(`.canvas #${id}`).click();
      assert.ok(Number(await current(page)) > step);
      assert.deepEqual(await lit(page), [id]);
    }));

  test("unfolding draws every event, and folds again", () => {
    const data = fixture("ring");
    data.chronological!.unfoldedSvg = data.chronological!.svg!.replace('class="node', 'data-unfolded="yes" class="node');
    return visit(pageOf(data), async (page) => {
      const unfolded = page.locator(".canvas [data-unfolded]");
      const button = page.getByRole("button", { name: "Unfold" });
      assert.equal(await unfolded.count(), 0);
      await button.click();
      assert.equal(await unfolded.count(), 1);
      assert.equal(await button.getAttribute("aria-pressed"), "true");
      await page.keyboard.press("u");
      assert.equal(await unfolded.count(), 0);
      await page.keyboard.press("v");
      assert.ok(await button.isHidden(), "the other view has nothing to unfold");
    });
  });

  test("zooming, panning and fitting", () =>
    visit(pageOf(fixture("ring")), async (page) => {
      const start = await viewBox(page);
      await page.keyboard.press("+");
      const zoomed = await viewBox(page);
      assert.notEqual(zoomed, start);
      await page.locator(".canvas").hover();
      await page.mouse.wheel(0, -300);
      await page.waitForFunction((old) => document.querySelector(".canvas svg")!.getAttribute("viewBox") !== old, zoomed);
      const wheeled = await viewBox(page);
      const box = (await page.locator(".canvas").boundingBox())!;
      const step = await current(page);
      await page.mouse.move(box.x + 300, box.y + 300);
      await page.mouse.down();
      await page.mouse.move(box.x + 200, box.y + 250, { steps: 3 });
      await page.mouse.up();
      const [x0, y0] = wheeled!.split(" ").map(Number) as [number, number];
      const [x1, y1] = (await viewBox(page))!.split(" ").map(Number) as [number, number];
      assert.ok(x1 > x0 && y1 > y0, "dragged to the upper left");
      assert.equal(await current(page), step, "a drag is no click");
      await page.keyboard.press("0");
      const [x, y, width, height] = (await viewBox(page))!.split(" ").map(Number) as [number, number, number, number];
      const drawn = await page.locator(".canvas g.graph").evaluate((g) => {
        const { width, height } = (g as SVGGElement).getBBox();
        return { width, height };
      });
      assert.ok(width >= drawn.width && height >= drawn.height, `${x} ${y} ${width} ${height}`);
    }));

  test("stepping keeps the lit box in sight of a large picture", () =>
    visit(pageOf(fixture("ring")), async (page) => {
      for (const key of ["End", "Home", "End"]) {
        await page.keyboard.press(key);
        const box = (await page.locator(".canvas g.node.current").boundingBox())!;
        const canvas = (await page.locator(".canvas").boundingBox())!;
        assert.ok(box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width, key);
        assert.ok(box.y >= canvas.y && box.y + box.height <= canvas.y + canvas.height, key);
        const row = (await page.locator("tr[aria-current]").boundingBox())!;
        const table = (await page.locator(".steps-scroll").boundingBox())!;
        assert.ok(row.y >= table.y && row.y + row.height <= table.y + table.height + 1, `row at ${key}`);
      }
    }));

  test("the theme follows the system until it is chosen, and is remembered", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await becomes(background, "rgb(27, 30, 35)");
      await page.emulateMedia({ colorScheme: "light" });
      await becomes(background, "rgb(255, 255, 255)");
      await page.getByRole("button", { name: "Theme: automatic" }).click();
      await page.getByRole("button", { name: "Theme: light" }).click();
      await becomes(background, "rgb(27, 30, 35)");
      await page.reload();
      await page.getByRole("button", { name: "Theme: dark" }).waitFor();
      await becomes(background, "rgb(27, 30, 35)");
    }, { colorScheme: "dark" }));

  test("forced colours and reduced motion are respected", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      await page.keyboard.press("ArrowDown");
      const colour = (selector: string, property: string) =>
        page.locator(selector).first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
      assert.notEqual(await colour("tr[aria-current] td", "background-color"), await colour("tr.later td", "background-color"));
      assert.notEqual(await colour(".canvas .current :is(polygon, path, ellipse)", "fill"), await colour(".canvas .later :is(polygon, path, ellipse)", "fill"));
      assert.equal(await colour(".canvas .node :is(polygon, path, ellipse)", "transition-duration"), "0s");
      await page.keyboard.press("ArrowDown");
      assert.notEqual(await colour("tr[aria-current] .remark", "color"), await colour("tr[aria-current] .remark", "background-color"));
    }, { forcedColors: "active", reducedMotion: "reduce" }));

  test("exports: SVG, PNG, DOT, JSON", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const data = fixture("dekker");
      await page.keyboard.press("n");
      const svg = await downloaded(page, "SVG");
      assert.equal(svg.name, "dekker-tso-chronological.svg");
      const found = await page.evaluate((text) => {
        const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
        const boxes = [...root.querySelectorAll("g.node polygon, g.node path, g.node ellipse")];
        return {
          root: root.localName, boxes: boxes.length, fills: new Set(boxes.map((box) => box.getAttribute("fill"))).size,
          marks: root.querySelectorAll(".current, .later, .waiting, .near").length, text: root.textContent ?? "",
          variables: /var\(|class="picture-svg/.test(text), width: Number(root.getAttribute("width")), height: Number(root.getAttribute("height")),
        };
      }, svg.bytes.toString("utf8"));
      assert.equal(found.root, "svg");
      assert.ok(found.boxes >= data.chronological!.nodes.length && found.fills >= 4, "every kind has its colour in the file");
      assert.equal(found.marks, 0);
      assert.equal(found.variables, false);
      assert.match(found.text, /program order/);

      const png = await downloaded(page, "PNG");
      assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
      assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], [2 * found.width, 2 * found.height]);

      const dot = await downloaded(page, "DOT");
      assert.equal(dot.bytes.toString("utf8"), data.chronological!.dot);
      await page.keyboard.press("v");
      const other = await downloaded(page, "DOT");
      assert.equal(other.name, "dekker-tso-shasha-snir.dot");
      assert.equal(other.bytes.toString("utf8"), data.shashaSnir!.dot);

      const json = await downloaded(page, "JSON");
      assert.equal(json.name, "dekker-tso.json");
      assert.deepEqual(JSON.parse(json.bytes.toString("utf8")), data);
    }));

  test("the exported PNG has the picture's colours in it", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const { bytes } = await downloaded(page, "PNG");
      const colours = await page.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d")!;
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const seen = new Map<string, number>();
        for (let i = 0; i < data.length; i += 4) {
          const colour = [data[i], data[i + 1], data[i + 2]].join();
          seen.set(colour, (seen.get(colour) ?? 0) + 1);
        }
        return [...seen].filter(([, count]) => count > 500).map(([colour]) => colour);
      }, `data:image/png;base64,${bytes.toString("base64")}`);
      for (const fill of ["255,255,255", "253,243,220", "224,244,237"]) assert.ok(colours.includes(fill), `${fill} in ${colours.join(" ")}`);
    }, { colorScheme: "light" }));

  test("the steps are copied as text", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      await page.getByRole("button", { name: "Copy as text" }).click();
      await page.getByText("Steps copied as text.").waitFor();
      const text = await page.evaluate(() => (window as unknown as { copied: string }).copied);
      assert.match(text, /^dekker\.c:21:3: assertion failed/);
      assert.match(text, /14 {2}left/);
    }, {
      init: () => {
        Object.defineProperty(navigator, "clipboard", {
          value: { writeText: async (text: string) => void ((window as unknown as { copied: string }).copied = text) },
        });
      },
    }));

  test("several counterexamples can be switched between", () =>
    visit(pageOf([fixture("dekker"), fixture("publication"), fixture("account")]), async (page) => {
      const names = await page.locator(".switcher button").allInnerTexts();
      assert.deepEqual(names, ["TSO: assertion, line 21", "PSO: assertion, line 19", "SC: assertion, line 20"]);
      await page.keyboard.press("End");
      await page.getByRole("button", { name: "PSO: assertion, line 19" }).click();
      assert.equal(await page.locator(".file").innerText(), "message_passing.c");
      assert.equal(await current(page), "1");
      assert.equal(await page.locator("table.steps tbody tr").count(), 9);
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "PSO: assertion, line 19");
      assert.equal(await page.getByRole("slider", { name: "Step" }).getAttribute("max"), "9");
    }));

  test("many counterexamples become a list to choose from", () =>
    visit(pageOf(Array.from({ length: 6 }, (_, i) => fixture(i % 2 ? "account" : "dekker"))), async (page) => {
      await page.getByRole("combobox", { name: "Counterexample" }).selectOption({ index: 3 });
      assert.equal(await page.locator(".file").innerText(), "account.c");
    }));

  test("the address may say where to begin", () =>
    visit(pageOf([fixture("account"), fixture("dekker")]), async (page) => {
      assert.equal(await page.locator(".file").innerText(), "dekker.c");
      assert.equal(await current(page), "5");
      assert.equal(await page.getByRole("button", { name: "Shasha-Snir" }).getAttribute("aria-pressed"), "true");
    }, { hash: "#counterexample=2&step=5&view=shashaSnir" }));

  test("text of the program stays text", () => {
    const data = fixture("dekker");
    data.sentence = "<img src=x onerror=alert(1)> `<b>x</b>`";
    data.sources["dekker.c"] = data.sources["dekker.c"]!.replace("flag0 = 1;", "flag0 = 1; // </script><script>alert(1)</script>");
    data.chronological!.svg = data.chronological!.svg!.replace("</svg>", "<script>window.bad = 1</script><image href='http://example.invalid/x.png'/></svg>")
      .replace('<g id="graph0"', '<g onload="window.bad = 1" style="fill:red" id="graph0"');
    return visit(pageOf(data), async (page) => {
      assert.equal(await page.locator("h1").innerText(), "<img src=x onerror=alert(1)> <b>x</b>");
      assert.ok((await page.locator("table.steps tbody tr").nth(2).innerText()).includes("// </script><script>alert(1)</script>"));
      assert.equal(await page.locator(".canvas :is(script, image, [style], [onload])").count(), 0);
      assert.equal(await page.evaluate(() => "bad" in window), false);
    });
  });

  test("without a picture the steps still work", () => {
    const data = fixture("dekker");
    delete data.chronological!.svg;
    delete data.shashaSnir;
    return visit(pageOf(data), async (page) => {
      await page.getByText("There is no picture of this execution.").waitFor();
      assert.ok(await page.getByRole("button", { name: "Shasha-Snir" }).isDisabled());
      await page.keyboard.press("ArrowDown");
      assert.equal(await current(page), "2");
      await page.getByRole("button", { name: "Export PNG" }).click();
      await page.getByText("There is no picture to export.").waitFor();
    });
  });

  test("data that cannot be shown is said so", () =>
    visit(pageOf({ picket: 7 }), async (page) => {
      assert.match(await page.locator(".message").innerText(), /cannot be shown\. This page shows counterexamples of version 1, not 7/);
      await page.keyboard.press("ArrowDown");
    }));

  test("the line between the halves moves by keyboard and pointer", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const bar = page.getByRole("separator", { name: "Width of the steps" });
      const at = async () => (await bar.boundingBox())!.x;
      const start = await at();
      await bar.press("ArrowRight");
      assert.ok((await at()) > start);
      await page.mouse.move((await at()) + 2, 400);
      await page.mouse.down();
      await page.mouse.move(400, 400);
      await page.mouse.up();
      assert.ok(Math.abs((await at()) - 400) < 6);
      await bar.dblclick();
      await becomes(at, start);
    }));

  test("the current step stays in sight when the window changes its size", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      await page.locator("table.steps tbody tr").nth(8).click();
      const inSight = () => page.locator("tr[aria-current=step]").evaluate((row) => {
        const [outer, inner] = [row.closest(".steps-scroll")!.getBoundingClientRect(), row.getBoundingClientRect()];
        return inner.top >= outer.top && inner.bottom <= outer.bottom;
      });
      for (const [width, height] of [[720, 700], [1280, 560], [900, 800]] as const) {
        await page.setViewportSize({ width, height });
        await page.waitForFunction((wide) => innerWidth === wide, width);
        await becomes(inSight, true);
      }
    }));

  test("the whole picture stays whole when the window changes its size, and a part stays that part", () =>
    visit(pageOf(fixture("ring")), async (page) => {
      const whole = () => page.locator(".canvas").evaluate((canvas) => {
        const [outer, inner] = [canvas.getBoundingClientRect(), canvas.querySelector("svg > g")!.getBoundingClientRect()];
        return inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
      });
      const zoom = () => page.locator(".percent").innerText();
      await page.getByRole("button", { name: "Fit" }).click();
      await becomes(whole, true);
      const before = await zoom();
      await page.setViewportSize({ width: 820, height: 560 });
      await page.waitForFunction((old) => document.querySelector(".percent")!.textContent !== old, before);
      await becomes(whole, true);
      await page.keyboard.press("+");
      const chosen = await zoom();
      const box = await viewBox(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.waitForFunction((old) => document.querySelector(".canvas svg")!.getAttribute("viewBox") !== old, box);
      assert.equal(await zoom(), chosen);
    }));
});

describe("for everybody", () => {
  for (const name of fixtureNames)
    test(`${name}: names, headers, landmarks`, () =>
      visit(pageOf([fixture(name), fixture("account")]), async (page) => {
        const faults = await page.evaluate(() => {
          const found: string[] = [];
          const named = (element: Element) => element.getAttribute("aria-label") ?? element.textContent?.trim();
          for (const element of document.querySelectorAll("button, summary, select, input, [role=separator], [role=region], section, nav"))
            if (!named(element)) found.push(`no name: ${element.outerHTML.slice(0, 80)}`);
          for (const table of document.querySelectorAll("table"))
            for (const head of table.querySelectorAll("th")) if (!head.getAttribute("scope")) found.push("a header without scope");
          for (const row of document.querySelectorAll("tbody tr")) if (!row.querySelector("th[scope=row]")) found.push("a row without header");
          for (const role of ["header", "main", "nav", "h1"]) if (document.querySelectorAll(role).length !== 1) found.push(`not one ${role}`);
          const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
          if (new Set(ids).size !== ids.length) found.push("an id is there twice");
          for (const element of document.querySelectorAll("[aria-describedby], [aria-labelledby]"))
            for (const id of (element.getAttribute("aria-describedby") ?? element.getAttribute("aria-labelledby"))!.split(" "))
              if (!document.getElementById(id)) found.push(`nothing has the id ${id}`);
          if (!document.documentElement.lang) found.push("no language");
          return found;
        });
        assert.deepEqual(faults, []);
        assert.ok((await page.title()).includes(fixture(name).file));
      }));

  test("everything is reached with Tab, with a visible focus", () =>
    visit(pageOf([fixture("dekker"), fixture("account")]), async (page) => {
      const seen: string[] = [];
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press("Tab");
        const [name, outline] = await page.evaluate(() => {
          const element = document.activeElement!;
          if (element === document.body) return ["", ""];
          const style = getComputedStyle(element);
          return [element.getAttribute("aria-label") ?? element.textContent!.trim(), `${style.outlineStyle} ${style.outlineWidth}`];
        });
        if (!name) break;
        assert.match(outline!, /^(solid|auto) [1-9]/, name);
        seen.push(name);
      }
      for (const name of ["SC: assertion, line 20", "Export SVG", "Export PNG", "Export DOT", "Export JSON", "Copy as text", "Keys", "Theme: automatic",
        "First step", "Step forward", "Step", "Next strange step", "Table of steps", "Step 1", "After this step", "Width of the steps",
        "Chronological", "Shasha-Snir", "Zoom in", "Fit", "Picture of the execution", "The cycle in words"])
        assert.ok(seen.includes(name), `${name} not in ${seen.join(" | ")}`);
      assert.equal(seen.filter((name) => /^Step \d+$/.test(name)).length, 1, "one stop in the table");
    }));

  test("the focus stays in the table while stepping, and Enter selects", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      await page.locator("tr[aria-current] th button").focus();
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Step 2");
    }));

  test("the cycle is told in words, in the order of its edges", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      await page.getByText("The cycle in words").click();
      assert.equal(await page.locator(".cycle-words li").count(), 4);
      assert.match(await page.locator(".cycle-words").innerText(), /So the store to flag0 at line 11 took effect after the load of flag1 at line 12\./);
    }));

  test("text has enough contrast in both themes", async () => {
    for (const colorScheme of ["light", "dark"] as const)
      await visit(pageOf(fixture("dekker")), async (page) => {
        await page.locator("table.steps tbody tr").nth(6).click();
        const weak = await page.evaluate(() => {
          const parse = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
          const light = ([r, g, b]: readonly number[]) => {
            const part = (v: number) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
            return 0.2126 * part(r!) + 0.7152 * part(g!) + 0.0722 * part(b!);
          };
          const ground = (element: Element | null): readonly number[] => {
            for (; element; element = element.parentElement) {
              const colour = parse(getComputedStyle(element).backgroundColor);
              if (colour[3] === undefined || colour[3] > 0) return colour;
            }
            return [255, 255, 255];
          };
          const found: string[] = [];
          for (const element of document.querySelectorAll("h1, h2, p, th, td .text, td code, td .line, .remark, dt, dd, button, summary, .legend li, output, .place")) {
            if (!element.textContent?.trim() || element.getAttribute("aria-disabled") === "true" || !(element as HTMLElement).offsetWidth) continue;
            const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${element.className} ${element.textContent.trim().slice(0, 30)}`);
          }
          return found;
        });
        assert.deepEqual(weak, [], colorScheme);
      }, { colorScheme });
  });

  for (const [width, height] of [[1280, 800], [1920, 1080], [720, 900], [600, 900], [420, 800]] as const)
    test(`nothing is cut off or covered at ${width}x${height}`, async () => {
      for (const name of fixtureNames)
        await visit(pageOf([fixture(name), fixture("account"), fixture("publication")]), async (page) => {
          await page.keyboard.press("End");
          const faults = await page.evaluate(() => {
            const found: string[] = [];
            if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
            for (const element of document.querySelectorAll<HTMLElement>("header *, .toolbar *, .legend *, td *, .state *")) {
              const style = getComputedStyle(element);
              if (element.classList.contains("hidden-text") || element.closest("thead, svg, dl.keys, details:not([open]) > dl")) continue;
              if (style.display !== "inline" && element.clientWidth && element.scrollWidth > element.clientWidth + 1) found.push(`too wide: ${element.className} ${element.textContent?.slice(0, 40)}`);
            }
            const bars = [...document.querySelectorAll(".bar, .toolbar, .legend")];
            for (const bar of bars) {
              const parts = [...bar.querySelectorAll("button, .file, .model, output, input, li, summary")].map((part) => [part, part.getBoundingClientRect()] as const).filter(([, box]) => box.width);
              for (const [i, [part, a]] of parts.entries()) {
                if (a.left < 0 || a.right > innerWidth + 0.5) found.push(`outside: ${part.textContent}`);
                for (const [other, b] of parts.slice(i + 1))
                  if (a.left < b.right - 1.5 && b.left < a.right - 1.5 && a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push(`${part.textContent} covers ${other.textContent}`);
              }
            }
            return found;
          });
          assert.deepEqual(faults, [], name);
          const picture = (await page.locator(".canvas").boundingBox())!;
          assert.ok(picture.height > 150 && picture.width > 270, `room for the picture: ${picture.width}x${picture.height}`);
          const steps = (await page.locator(".steps-scroll").boundingBox())!;
          assert.ok(steps.height > 200, `room for the steps: ${steps.height}`);
          if (width < 700) assert.ok(picture.y > steps.y + steps.height - 1, "the picture is below the steps");
          else {
            assert.ok(picture.x >= steps.x + steps.width, "the picture is beside the steps");
            const hidden = await page.locator(".steps-scroll").evaluate((element) => element.scrollWidth - element.clientWidth);
            assert.ok(hidden <= 0, `${hidden} pixels of the last thread are out of sight`);
          }
        }, { viewport: { width, height } });
    });
});

describe("in a VS Code webview", () => {
  const nonce = "r4nd0m";
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:`;
  const html = () => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
    <link rel="icon" href="data:,"><style nonce="${nonce}">${readFileSync("dist/page.css", "utf8")}</style></head>
    <body class="vscode-dark"><div id="picket-page"></div><script nonce="${nonce}">${readFileSync("dist/page.js", "utf8")}</script></body></html>`;

  /// What VS Code gives the page.
  const init = () => {
    const w = window as unknown as { sent: unknown[]; violations: string[]; state: unknown; acquireVsCodeApi: unknown };
    w.sent = [];
    w.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => w.violations.push(`${event.violatedDirective} ${event.sample} ${event.blockedURI}`));
    w.acquireVsCodeApi = () => ({
      postMessage: (message: unknown) => w.sent.push(JSON.parse(JSON.stringify(message))),
      getState: () => w.state,
      setState: (state: unknown) => (w.state = JSON.parse(JSON.stringify(state))),
    });
  };
  type Message = { type: string; [key: string]: unknown };
  const sent = (page: Page, type: string) =>
    page.evaluate((wanted) => (window as unknown as { sent: Message[] }).sent.filter((message) => message.type === wanted), type);
  const send = (page: Page, message: unknown) => page.evaluate((m) => window.postMessage(m, "*"), message);
  const inWebview = (body: (page: Page) => Promise<void>) =>
    visit(html(), async (page) => {
      await body(page);
      assert.deepEqual(await page.evaluate(() => (window as unknown as { violations: string[] }).violations), []);
    }, { init });
  const ready = (page: Page) => page.locator("table.steps tbody tr").first().waitFor();

  test("the policy of this test forbids style attributes", () =>
    visit(html(), async (page) => {
      await page.evaluate(() => document.body.setAttribute("style", "color: red"));
      await page.waitForFunction(() => (window as unknown as { violations: string[] }).violations.length > 0);
    }, { init }).then(() => assert.fail("the browser did not complain"), (error: Error) => assert.match(error.message, /Content Security Policy/)));

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
      await page.evaluate(() => document.documentElement.style.setProperty("--vscode-editor-background", "rgb(1, 2, 3)"));
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
      for (const format of ["SVG", "PNG", "DOT", "JSON"]) await page.getByRole("button", { name: `Export ${format}` }).click();
      await page.getByRole("button", { name: "Copy as text" }).click();
      await becomes(async () => (await sent(page, "export")).map((message) => message["format"]).sort(), ["dot", "json", "png", "svg", "text"]);
      assert.deepEqual((await sent(page, "export")).map((message) => message["name"]).sort(),
        ["dekker-tso-chronological.dot", "dekker-tso-chronological.png", "dekker-tso-chronological.svg", "dekker-tso-chronological.text", "dekker-tso.json"]);
      const content = Object.fromEntries((await sent(page, "export")).map((message) => [message["format"], String(message["content"])]));
      const data = fixture("dekker");
      assert.equal(content["dot"], data.chronological!.dot);
      assert.deepEqual(JSON.parse(content["json"]!), data);
      assert.match(content["png"]!, /^data:image\/png;base64,iVBOR/);
      assert.ok(content["png"]!.length > 10_000);
      assert.match(content["svg"]!, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.match(content["text"]!, /Model: TSO/);
    }));

  test("selecting tells the editor the place, revealing does not answer", () =>
    inWebview(async (page) => {
      const data = fixture("dekker");
      await send(page, { type: "counterexample", data });
      await ready(page);
      await page.locator("table.steps tbody tr").nth(3).click();
      const { file, line, column } = data.events[data.steps[3]!.event]!;
      assert.deepEqual(await sent(page, "select"), [{ type: "select", event: data.steps[3]!.event, file, line, column }]);
      await send(page, { type: "reveal", file: "/home/me/dekker.c", line: 30 });
      await becomes(() => current(page), "7");
      await send(page, { type: "reveal", file: "/home/me/dekker.c", line: 30 });
      await send(page, { type: "reveal", file: "/home/me/dekker.c", line: 2 });
      await send(page, { type: "stale" });
      await page.getByText("The file has changed since; this counterexample is out of date.").waitFor();
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
});

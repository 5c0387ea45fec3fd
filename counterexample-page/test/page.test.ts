// The page alone, as a file in a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { pageOf } from "../scripts/assemble.mjs";
import { becomes, current, visit } from "./browser";
import { fixture, fixtureNames } from "./fixtures";

const lit = (page: Page) => page.locator(".canvas g.node.current").evaluateAll((nodes) => nodes.map((node) => node.id));
const viewBox = (page: Page) => page.locator(".canvas svg").getAttribute("viewBox");

async function downloaded(page: Page, format: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: `Export ${format}` }).click(),
  ]);
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
        assert.equal(await page.locator("tr.out-of-order").count(), data.steps.filter((step) => step.strange).length);
        assert.equal(await page.locator(".remark").count(), data.steps.filter((step) => step.remark).length);
        assert.equal(await current(page), "1");
        assert.ok(await page.locator(".canvas svg g.node").count());
      }));

  test("the model is shown with what the program was compiled for, if that is another machine", async () => {
    const elsewhere = {
      ...fixture("publication"),
      model: "armv8",
      modelTitle: "ARM64",
      target: "aarch64",
      host: "x86_64",
    };
    await visit(pageOf(elsewhere), async (page) => {
      assert.equal(await page.locator(".bar .model").innerText(), "ARM64 (aarch64)");
      assert.match(await page.title(), /under ARM64$/);
    });
    await visit(pageOf({ ...elsewhere, host: undefined }), async (page) => {
      assert.equal(await page.locator(".bar .model").innerText(), "ARM64");
    });
  });

  test("keys step, and the state and the announcement follow", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const live = page.locator("#announcement");
      for (const key of ["ArrowDown", "j", "ArrowDown"]) await page.keyboard.press(key);
      assert.equal(await current(page), "4");
      assert.equal(await live.innerText(), "Step 4 of 14, left, line 12: reads 0 from flag1.");
      assert.equal(
        await page
          .locator(".queue li")
          .allInnerTexts()
          .then((all) => all.join()),
        "flag0 = 1",
      );
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
      assert.deepEqual(
        (await page.locator(".stack li").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
        ["read_balance line 12", "customer line 26"],
      );
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
      await page.getByRole("button", { name: "Next out-of-order step" }).click();
      assert.equal(await current(page), "3");
    }));

  test("the step's box is lit, later boxes and waiting stores differ", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const data = fixture("dekker");
      await page.locator("table.steps tbody tr").nth(6).click();
      assert.deepEqual(await lit(page), [`event-${data.steps[6]!.event}`]);
      const boxes = async (name: string) =>
        page.locator(`.canvas g.node.${name}`).evaluateAll((nodes) => nodes.map((node) => node.id).sort());
      const later = data.steps
        .slice(7)
        .map((step) => `event-${step.event}`)
        .sort();
      assert.deepEqual(await boxes("later"), later);
      const waiting = data.steps[6]!.buffers!.flat()
        .map((entry) => `event-${entry.store}`)
        .sort();
      assert.equal(waiting.length, 3);
      assert.deepEqual(await boxes("waiting"), waiting);
      assert.ok(await page.locator(".canvas g.edge.near").count());
    }));

  test("a click on a box selects its step, hovering tells about it", () =>
    visit(pageOf(fixture("dekker")), async (page) => {
      const event = fixture("dekker").steps[6]!.event;
      await page.locator(`.canvas #event-${event} text`).first().hover();
      assert.match(
        await page.locator(".tooltip").innerText(),
        /^Step 7 of 14, right, line 30: reads 0 from flag0\. Memory still/,
      );
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
      assert.equal(
        await page.locator(".canvas g.node").count(),
        data.chronological!.nodes.length,
        "the legend of the picture is left out",
      );
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
    data.chronological!.unfoldedSvg = data.chronological!.svg!.replace(
      'class="node',
      'data-unfolded="yes" class="node',
    );
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
      await page.waitForFunction(
        (old) => document.querySelector(".canvas svg")!.getAttribute("viewBox") !== old,
        zoomed,
      );
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
    visit(
      pageOf(fixture("dekker")),
      async (page) => {
        const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        await becomes(background, "rgb(27, 30, 35)");
        await page.emulateMedia({ colorScheme: "light" });
        await becomes(background, "rgb(255, 255, 255)");
        await page.getByRole("button", { name: "Theme: automatic" }).click();
        await page.getByRole("button", { name: "Theme: light" }).click();
        await becomes(background, "rgb(27, 30, 35)");
        await becomes(() => page.evaluate(() => Object.values<unknown>(localStorage)), ["dark"]);
        await page.reload();
        await page.getByRole("button", { name: "Theme: dark" }).waitFor();
        await becomes(background, "rgb(27, 30, 35)");
      },
      { colorScheme: "dark" },
    ));

  test("forced colours and reduced motion are respected", () =>
    visit(
      pageOf(fixture("dekker")),
      async (page) => {
        await page.keyboard.press("ArrowDown");
        const colour = (selector: string, property: string) =>
          page
            .locator(selector)
            .first()
            .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
        assert.notEqual(
          await colour("tr[aria-current] td", "background-color"),
          await colour("tr.later td", "background-color"),
        );
        assert.notEqual(
          await colour(".canvas .current :is(polygon, path, ellipse)", "fill"),
          await colour(".canvas .later :is(polygon, path, ellipse)", "fill"),
        );
        assert.equal(await colour(".canvas .node :is(polygon, path, ellipse)", "transition-duration"), "0s");
        await page.keyboard.press("ArrowDown");
        assert.notEqual(
          await colour("tr[aria-current] .remark", "color"),
          await colour("tr[aria-current] .remark", "background-color"),
        );
      },
      { forcedColors: "active", reducedMotion: "reduce" },
    ));

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
          root: root.localName,
          boxes: boxes.length,
          fills: new Set(boxes.map((box) => box.getAttribute("fill"))).size,
          marks: root.querySelectorAll(".current, .later, .waiting, .near").length,
          text: root.textContent,
          variables: /var\(|class="picture-svg/.test(text),
          width: Number(root.getAttribute("width")),
          height: Number(root.getAttribute("height")),
        };
      }, svg.bytes.toString("utf8"));
      assert.equal(found.root, "svg");
      assert.ok(
        found.boxes >= data.chronological!.nodes.length && found.fills >= 4,
        "every kind has its colour in the file",
      );
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
    visit(
      pageOf(fixture("dekker")),
      async (page) => {
        const { bytes } = await downloaded(page, "PNG");
        const colours = await page.evaluate(
          async (url) => {
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
          },
          `data:image/png;base64,${bytes.toString("base64")}`,
        );
        for (const fill of ["255,255,255", "253,243,220", "224,244,237"])
          assert.ok(colours.includes(fill), `${fill} in ${colours.join(" ")}`);
      },
      { colorScheme: "light" },
    ));

  test("the steps are copied as text", () =>
    visit(
      pageOf(fixture("dekker")),
      async (page) => {
        await page.getByRole("button", { name: "Copy as text" }).click();
        await page.getByText("Steps copied as text.").waitFor();
        const text = await page.evaluate(() => (window as unknown as { copied: string }).copied);
        assert.match(text, /^dekker\.c:21:3: assertion failed/);
        assert.match(text, /14 {2}left/);
      },
      {
        init: () => {
          Object.defineProperty(navigator, "clipboard", {
            value: {
              writeText: (text: string) => {
                (window as unknown as { copied: string }).copied = text;
                return Promise.resolve();
              },
            },
          });
        },
      },
    ));

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
    visit(
      pageOf([fixture("account"), fixture("dekker")]),
      async (page) => {
        assert.equal(await page.locator(".file").innerText(), "dekker.c");
        assert.equal(await current(page), "5");
        assert.equal(await page.getByRole("button", { name: "Shasha-Snir" }).getAttribute("aria-pressed"), "true");
      },
      { hash: "#counterexample=2&step=5&view=shashaSnir" },
    ));

  test("text of the program stays text", () => {
    const data = fixture("dekker");
    data.sentence = "<img src=x onerror=alert(1)> `<b>x</b>`";
    data.sources["dekker.c"] = data.sources["dekker.c"]!.replace(
      "flag0 = 1;",
      "flag0 = 1; // </script><script>alert(1)</script>",
    );
    data.chronological!.svg = data
      .chronological!.svg!.replace(
        "</svg>",
        "<script>window.bad = 1</script><image href='http://example.invalid/x.png'/></svg>",
      )
      .replace('<g id="graph0"', '<g onload="window.bad = 1" style="fill:red" id="graph0"');
    return visit(pageOf(data), async (page) => {
      assert.equal(await page.locator("h1").innerText(), "<img src=x onerror=alert(1)> <b>x</b>");
      assert.ok(
        (await page.locator("table.steps tbody tr").nth(2).innerText()).includes(
          "// </script><script>alert(1)</script>",
        ),
      );
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
      assert.match(
        await page.locator(".message").innerText(),
        /cannot be shown\. This page shows counterexamples of version 1, not 7/,
      );
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
      const inSight = () =>
        page.locator("tr[aria-current=step]").evaluate((row) => {
          const [outer, inner] = [row.closest(".steps-scroll")!.getBoundingClientRect(), row.getBoundingClientRect()];
          return inner.top >= outer.top && inner.bottom <= outer.bottom;
        });
      for (const [width, height] of [
        [720, 700],
        [1280, 560],
        [900, 800],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.waitForFunction((wide) => innerWidth === wide, width);
        await becomes(inSight, true);
      }
    }));

  test("the whole picture stays whole when the window changes its size, and a part stays that part", () =>
    visit(pageOf(fixture("ring")), async (page) => {
      const whole = () =>
        page.locator(".canvas").evaluate((canvas) => {
          const [outer, inner] = [
            canvas.getBoundingClientRect(),
            canvas.querySelector("svg > g")!.getBoundingClientRect(),
          ];
          return (
            inner.left >= outer.left - 1 &&
            inner.right <= outer.right + 1 &&
            inner.top >= outer.top - 1 &&
            inner.bottom <= outer.bottom + 1
          );
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

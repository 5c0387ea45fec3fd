// The page for everybody: names and roles, keyboard, contrast, small windows.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pageOf } from "../scripts/assemble.mjs";
import { visit } from "./browser";
import { fixture, fixtureNames } from "./fixtures";

describe("for everybody", () => {
  for (const name of fixtureNames)
    test(`${name}: names, headers, landmarks`, () =>
      visit(pageOf([fixture(name), fixture("account")]), async (page) => {
        const faults = await page.evaluate(() => {
          const found: string[] = [];
          const named = (element: Element) => element.getAttribute("aria-label") ?? element.textContent.trim();
          for (const element of document.querySelectorAll(
            "button, summary, select, input, [role=separator], [role=region], section, nav",
          ))
            if (!named(element)) found.push(`no name: ${element.outerHTML.slice(0, 80)}`);
          for (const table of document.querySelectorAll("table"))
            for (const head of table.querySelectorAll("th"))
              if (!head.getAttribute("scope")) found.push("a header without scope");
          for (const row of document.querySelectorAll("tbody tr"))
            if (!row.querySelector("th[scope=row]")) found.push("a row without header");
          for (const role of ["header", "main", "nav", "h1"])
            if (document.querySelectorAll(role).length !== 1) found.push(`not one ${role}`);
          const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
          if (new Set(ids).size !== ids.length) found.push("an id is there twice");
          for (const element of document.querySelectorAll("[aria-describedby], [aria-labelledby]"))
            for (const id of (element.getAttribute("aria-describedby") ??
              element.getAttribute("aria-labelledby"))!.split(" "))
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
          return [
            element.getAttribute("aria-label") ?? element.textContent.trim(),
            `${style.outlineStyle} ${style.outlineWidth}`,
          ];
        });
        if (!name) break;
        assert.match(outline, /^(solid|auto) [1-9]/, name);
        seen.push(name);
      }
      for (const name of [
        "SC: assertion, line 20",
        "Export SVG",
        "Export PNG",
        "Export DOT",
        "Export JSON",
        "Copy as text",
        "Keys",
        "Theme: automatic",
        "First step",
        "Step forward",
        "Step",
        "Next out-of-order step",
        "Table of steps",
        "Step 1",
        "After this step",
        "Width of the steps",
        "Chronological",
        "Shasha-Snir",
        "Zoom in",
        "Fit",
        "Picture of the execution",
        "Explain the cycle",
      ])
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
      await page.getByText("Explain the cycle").click();
      assert.equal(await page.locator(".cycle-words li").count(), 4);
      assert.match(
        await page.locator(".cycle-words").innerText(),
        /So the store to flag0 at line 11 took effect after the load of flag1 at line 12\./,
      );
    }));

  test("text has enough contrast in both themes", async () => {
    for (const colorScheme of ["light", "dark"] as const)
      await visit(
        pageOf(fixture("dekker")),
        async (page) => {
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
            for (const element of document.querySelectorAll(
              "h1, h2, p, th, td .text, td code, td .line, .remark, dt, dd, button, summary, .legend li, output, .place",
            )) {
              if (
                !element.textContent.trim() ||
                element.getAttribute("aria-disabled") === "true" ||
                !(element as HTMLElement).offsetWidth
              )
                continue;
              const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
              const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              if (contrast < 4.5)
                found.push(`${contrast.toFixed(2)} ${element.className} ${element.textContent.trim().slice(0, 30)}`);
            }
            return found;
          });
          assert.deepEqual(weak, [], colorScheme);
        },
        { colorScheme },
      );
  });

  for (const [width, height] of [
    [1280, 800],
    [1920, 1080],
    [720, 900],
    [600, 900],
    [420, 800],
  ] as const)
    test(`nothing is cut off or covered at ${width}x${height}`, async () => {
      for (const name of fixtureNames)
        await visit(
          pageOf([fixture(name), fixture("account"), fixture("publication")]),
          async (page) => {
            await page.keyboard.press("End");
            const faults = await page.evaluate(() => {
              const found: string[] = [];
              if (document.documentElement.scrollWidth > innerWidth)
                found.push(`the page is ${document.documentElement.scrollWidth} wide`);
              for (const element of document.querySelectorAll<HTMLElement>(
                "header *, .toolbar *, .legend *, td *, .state *",
              )) {
                const style = getComputedStyle(element);
                if (
                  element.classList.contains("hidden-text") ||
                  element.closest("thead, svg, dl.keys, details:not([open]) > dl")
                )
                  continue;
                if (style.display !== "inline" && element.clientWidth && element.scrollWidth > element.clientWidth + 1)
                  found.push(`too wide: ${element.className} ${element.textContent.slice(0, 40)}`);
              }
              const bars = [...document.querySelectorAll(".bar, .toolbar, .legend")];
              for (const bar of bars) {
                const parts = [...bar.querySelectorAll("button, .file, .model, output, input, li, summary")]
                  .map((part) => [part, part.getBoundingClientRect()] as const)
                  .filter(([, box]) => box.width);
                for (const [i, [part, a]] of parts.entries()) {
                  if (a.left < 0 || a.right > innerWidth + 0.5) found.push(`outside: ${part.textContent}`);
                  for (const [other, b] of parts.slice(i + 1))
                    if (
                      a.left < b.right - 1.5 &&
                      b.left < a.right - 1.5 &&
                      a.top < b.bottom - 1 &&
                      b.top < a.bottom - 1
                    )
                      found.push(`${part.textContent} covers ${other.textContent}`);
                }
              }
              return found;
            });
            assert.deepEqual(faults, [], name);
            const picture = (await page.locator(".canvas").boundingBox())!;
            assert.ok(
              picture.height > 150 && picture.width > 270,
              `room for the picture: ${picture.width}x${picture.height}`,
            );
            const steps = (await page.locator(".steps-scroll").boundingBox())!;
            assert.ok(steps.height > 200, `room for the steps: ${steps.height}`);
            if (width < 700) assert.ok(picture.y > steps.y + steps.height - 1, "the picture is below the steps");
            else {
              assert.ok(picture.x >= steps.x + steps.width, "the picture is beside the steps");
              const hidden = await page
                .locator(".steps-scroll")
                .evaluate((element) => element.scrollWidth - element.clientWidth);
              assert.ok(hidden <= 0, `${hidden} pixels of the last thread are out of sight`);
            }
          },
          { viewport: { width, height } },
        );
    });
});

// Pictures of counterexample pages, light and dark:
//   node scripts/screenshots.mjs [--out DIR] [--step N] [--view chronological|shashaSnir] PAGE.html...
// Each page gives NAME-light.png and NAME-dark.png (1280x800), NAME-narrow.png (800x900, whole page), and the exported
// picture as NAME-picture-light.png and NAME-picture-dark.png. Without --step: the last out-of-order step, or else the last.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "." },
    step: { type: "string" },
    view: { type: "string", default: "chronological" },
  },
});
if (positionals.length === 0) {
  console.error("usage: node scripts/screenshots.mjs [--out DIR] [--step N] [--view VIEW] PAGE.html...");
  process.exit(2);
}
await mkdir(values.out, { recursive: true });
const browser = await launch();
try {
  for (const file of positionals) {
    const name = path.basename(file, ".html");
    const target = (suffix) => path.join(values.out, `${name}-${suffix}.png`);
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme, deviceScaleFactor: 1 });
      await page.goto(`${pathToFileURL(path.resolve(file))}#view=${values.view}`);
      const rows = page.locator("table.steps tbody tr");
      await rows.first().waitFor();
      if (values.step)
        await rows
          .nth(Number(values.step) - 1)
          .locator("button")
          .click();
      else if (await page.locator("tr.out-of-order").count())
        await page.locator("tr.out-of-order").last().locator("button").click();
      else await page.keyboard.press("End");
      await page.screenshot({ path: target(colorScheme), animations: "disabled" });
      if (colorScheme === "light") {
        await page.setViewportSize({ width: 800, height: 900 });
        await page.screenshot({ path: target("narrow"), fullPage: true, animations: "disabled" });
      }
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export PNG" }).click();
      await (await download).saveAs(target(`picture-${colorScheme}`));
      await page.close();
    }
    console.log(`${name}: done`);
  }
} finally {
  await browser.close();
}

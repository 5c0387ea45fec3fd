// Draws media/icon.png from media/icon.svg with Chromium (CHROMIUM names it if not /usr/bin/chromium).
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), "picket-icon-"));
try {
  const page = path.join(folder, "icon.html");
  const svg = Buffer.from(readFileSync("media/icon.svg")).toString("base64");
  writeFileSync(
    page,
    `<canvas width="128" height="128"></canvas><pre></pre><script>
    const image = new Image();
    image.onload = () => {
      document.querySelector("canvas").getContext("2d").drawImage(image, 0, 0);
      document.querySelector("pre").textContent = document.querySelector("canvas").toDataURL("image/png");
    };
    image.src = "data:image/svg+xml;base64,${svg}";
  </script>`,
  );
  const { stdout } = spawnSync(
    process.env.CHROMIUM ?? "/usr/bin/chromium",
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${folder}/profile`,
      "--dump-dom",
      `file://${page}`,
    ],
    { encoding: "utf8" },
  );
  const data = /<pre>data:image\/png;base64,([^<]+)<\/pre>/.exec(stdout)?.[1];
  if (!data) throw new Error("Chromium drew nothing");
  writeFileSync("media/icon.png", Buffer.from(data, "base64"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

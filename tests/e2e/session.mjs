// A VS Code for tests: code-server with folders of its own, and Chromium in front of it. Everything is gone afterwards.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

/** A wait that takes longer has failed. Generous: tests run beside others on small machines. */
export const Patience = Number(process.env.PICKET_E2E_PATIENCE ?? 600_000);

const baseSettings = {
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.reduceMotion": "on",
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "security.workspace.trust.enabled": false,
  "editor.minimap.enabled": false,
  "editor.accessibilitySupport": "off",
  "editor.autoIndent": "none",
  "editor.autoClosingBrackets": "never",
  "editor.hover.enabled": false,
  "editor.stickyScroll.enabled": false,
  "files.autoSave": "off",
  "git.enabled": false,
};

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** For states that nobody announces. */
export async function eventually(what, state, limit = Patience) {
  const end = Date.now() + limit;
  for (;;) {
    const value = await state();
    if (value) return value;
    assert(Date.now() < end, `${limit} ms went by while waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Session {
  constructor({ node, entry, out }) {
    Object.assign(this, { node, out });
    this.entry = realpathSync(entry); // what it loads lies beside the file, not beside a link to it
    this.root = mkdtempSync(path.join(tmpdir(), "picket-vscode-")); // short: there are sockets below it
    for (const name of ["workspace", "data", "extensions", "home", "t"]) {
      this[name] = path.join(this.root, name);
      mkdirSync(this[name], { recursive: true });
    }
    mkdirSync(path.join(this.data, "User"), { recursive: true });
    mkdirSync(out, { recursive: true });
    writeFileSync(path.join(this.root, "config.yaml"), "auth: none\n");
    this.settings = { ...baseSettings };
    this.set({});
    // An empty gallery: nothing is looked for outside this machine.
    this.environment = {
      PATH: process.env.PATH,
      HOME: this.home,
      TMPDIR: this.t,
      LANG: "C.UTF-8",
      EXTENSIONS_GALLERY: "{}",
    };
    this.arguments = [
      "--config",
      path.join(this.root, "config.yaml"),
      "--user-data-dir",
      this.data,
      "--extensions-dir",
      this.extensions,
    ];
    this.otherHosts = new Set();
    this.console = [];
  }

  /** Changes the user's settings. They count from the next start of the window: code-server cannot watch files here. */
  set(settings) {
    Object.assign(this.settings, settings);
    writeFileSync(path.join(this.data, "User", "settings.json"), JSON.stringify(this.settings, null, 2));
  }

  install(vsix) {
    const { status, stdout, stderr } = spawnSync(
      this.node,
      [this.entry, ...this.arguments, "--install-extension", vsix],
      { env: this.environment, encoding: "utf8", timeout: Patience },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /successfully installed/);
  }

  copyToWorkspace(folder) {
    cpSync(folder, this.workspace, { recursive: true });
  }

  async start() {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}`;
    const log = openSync(path.join(this.out, "code-server.log"), "w");
    this.server = spawn(
      this.node,
      [
        this.entry,
        ...this.arguments,
        "--bind-addr",
        `127.0.0.1:${port}`,
        "--auth",
        "none",
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-workspace-trust",
        "--disable-getting-started-override",
        "--disable-proxy",
      ],
      { env: this.environment, stdio: ["ignore", log, log], detached: true },
    );
    await eventually("code-server to answer", () =>
      fetch(`${this.address}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    this.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      headless: true,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
    const context = await this.browser.newContext({
      viewport: { width: 1700, height: 1000 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(Patience);
    this.page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      // VS Code's webviews have an address of their own, answered by a service worker in the page.
      if (
        /^https?:$/.test(protocol) &&
        host !== `127.0.0.1:${port}` &&
        !host.endsWith(".vscode-resource.vscode-cdn.net")
      )
        this.otherHosts.add(host);
    });
    this.page.on("console", (message) => this.console.push(`${message.type()} ${message.text()}`));
    this.page.on("pageerror", (error) => this.console.push(`pageerror ${error.message}`));
  }

  open(workspace = this.workspace) {
    return this.page.goto(`${this.address}/?folder=${encodeURIComponent(workspace)}`);
  }

  openWorkspace(file) {
    return this.page.goto(`${this.address}/?workspace=${encodeURIComponent(file)}`);
  }

  screenshot(name) {
    return this.page.screenshot({ path: path.join(this.out, `${name}.png`) });
  }

  /** What the extension wrote to its output, over all windows of this session. */
  log() {
    const logs = path.join(this.data, "logs");
    return readdirSync(logs, { recursive: true })
      .filter((name) => /Picket\.log$/.test(name))
      .map((name) => readFileSync(path.join(logs, name), "utf8"))
      .join("");
  }

  async end(keep) {
    await this.browser?.close().catch(() => {});
    if (this.server) {
      try {
        process.kill(-this.server.pid, "SIGTERM"); // it and what it started
      } catch {
        // it has ended
      }
      await eventually(
        "code-server to end",
        () => this.server.exitCode !== null || this.server.signalCode !== null,
        20_000,
      ).catch(() => process.kill(-this.server.pid, "SIGKILL"));
    }
    writeFileSync(path.join(this.out, "console.log"), this.console.join("\n"));
    if (keep) console.log(`kept: ${this.root}`);
    else rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

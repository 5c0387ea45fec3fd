import assert from "node:assert/strict";
import { test } from "node:test";
import { beginAt, bytesOf, exportName, readFromPage, readPanelState } from "../src/pageMessages";
import { panelHtml } from "../src/panelHtml";

test("Messages of the page", () => {
  const good = [
    { type: "ready" },
    { type: "select", event: 3, file: "a.c", line: 4, column: 1 },
    { type: "model", model: "tso" },
    { type: "export", format: "svg", content: "<svg/>", name: "a.svg" },
    { type: "at", index: 0, step: 7 },
    { type: "applyFix", id: "1f" },
  ];
  for (const message of good) assert.deepEqual(readFromPage(message), message);
});

test("Anything else is no message", () => {
  const bad = [
    null,
    "ready",
    {},
    { type: "open" },
    { type: "select", event: -1, file: "a.c", line: 4, column: 1 },
    { type: "select", event: 1, file: 2, line: 4, column: 1 },
    { type: "select", event: 1, file: "a.c", line: 1.5, column: 1 },
    { type: "export", format: "exe", content: "", name: "a.exe" },
    { type: "export", format: "svg" },
    { type: "export", format: "svg", content: "" },
    { type: "at", index: "0", step: 0 },
    { type: "model" },
  ];
  for (const message of bad) assert.equal(readFromPage(message), undefined, JSON.stringify(message));
});

test("Contents of exported files", () => {
  assert.equal(Buffer.from(bytesOf("svg", "<svg>\u00e9</svg>")!).toString("utf8"), "<svg>\u00e9</svg>");
  assert.deepEqual(
    [...bytesOf("png", `data:image/png;base64,${Buffer.from([137, 80, 78]).toString("base64")}`)!],
    [137, 80, 78],
  );
  assert.equal(bytesOf("png", "data:text/html;base64,AAAA"), undefined);
  assert.equal(
    exportName("my.lock-tso-chronological.dot", "/home/me/my.lock.c", "tso", "dot"),
    "my.lock-tso-chronological.dot",
  );
  for (const bad of ["", "../a.dot", "a/b.dot", "a\\b.dot", ".dot", "a.svg", "a\0.dot"])
    assert.equal(exportName(bad, "/home/me/my.lock.c", "tso", "dot"), "my.lock-tso.dot", bad);
});

test("Which counterexample comes first", () => {
  assert.equal(beginAt(["sc", "tso", "pso"], "pso", "sc"), 2);
  assert.equal(beginAt(["sc", "tso"], "pso", "tso"), 1);
  assert.equal(beginAt(["sc", "tso"], undefined, "pso"), undefined);
  assert.equal(beginAt(["sc"], undefined, undefined), undefined);
});

test("What survives a reload", () => {
  assert.deepEqual(readPanelState({ uri: "file:///a.c", page: { step: 3 } }), {
    uri: "file:///a.c",
    page: { step: 3 },
  });
  for (const bad of [undefined, null, {}, { uri: 1 }]) assert.equal(readPanelState(bad), undefined);
});

test("The panel's document lets nothing in and nothing out", () => {
  const html = panelHtml({ nonce: "abc", uri: 'file:///a"<b>.c', style: "s.css", frame: "f.js", page: "p.js" });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!;
  assert.equal(policy, "default-src 'none'; style-src 'nonce-abc'; script-src 'nonce-abc'; img-src data:");
  assert.match(html, /data-document="file:\/\/\/a&quot;&lt;b&gt;.c"/);
  assert.equal(html.match(/<script nonce="abc" src=/g)?.length, 2);
  assert(html.indexOf("f.js") < html.indexOf("p.js"), "the frame comes before the page");
  assert.doesNotMatch(html, /unsafe|\son\w+=|\sstyle=/);
});

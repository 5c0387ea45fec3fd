// Workers that die, clients that talk nonsense: the server goes on, or ends as it should, and leaves nothing behind.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { Client, eventually, FullCapabilities, session, workerAtWork } from "./client.mjs";
import { alive, descendants, isZombie, workersOf } from "./processes.mjs";
import { Buggy, Endless, Fixed, writers } from "./programs.mjs";

/** Random numbers that are the same in every run. */
function generator(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const exploring = (client) =>
  client.until("executions", () => client.progress().some(({ value }) => /executions/.test(value.message)));

const Crash = /stopped unexpectedly/;
/** The person was told of it, so it stays when the server ends. */
const logOf = (diagnostic) => /log: (.*)$/.exec(diagnostic.message)[1];

test("Workers killed at random moments: every document ends with the right result", () =>
  session({}, async (client) => {
    const random = generator(20260101);
    // Some tenths of a second of work each, so that most moments fall into a check.
    const texts = [writers(8), writers(8, "x != 3"), Buggy, Fixed];
    const wrong = [0, 1, 1, 0];
    const documents = [];
    for (const index of texts.keys())
      documents.push({ uri: await client.open(`document${index}.c`, texts[index]), expected: wrong[index] });
    let reported = 0;
    let busy = 0;
    for (let round = 0; round < 50; ++round) {
      const document = documents[round % documents.length];
      const index = Math.floor(random() * texts.length);
      document.expected = wrong[index];
      await client.editAndSave(document.uri, `${texts[index]}int only_in_round_${round};\n`); // no cached answer
      await pause(random() * 250);
      const workers = workersOf(client.process.pid).filter(alive);
      busy += documents.some(({ uri }) => client.status(uri)?.state === "checking");
      if (workers.length > 0) process.kill(workers[Math.floor(random() * workers.length)], "SIGKILL");
      if (round % 5 !== 4) continue; // several at once, now and then a look
      for (const { uri, expected } of documents) {
        let diagnostics = await client.checked(uri);
        if (diagnostics.some((diagnostic) => Crash.test(diagnostic.message))) {
          ++reported;
          assert.equal(diagnostics.length, 1, JSON.stringify(diagnostics));
          client.kept.push(logOf(diagnostics[0]));
          await client.editAndSave(uri, `${client.documents.get(uri).text}\n`);
          diagnostics = await client.checked(uri);
        }
        assert.equal(diagnostics.length, expected, `round ${round}: ${JSON.stringify(diagnostics)}`);
      }
    }
    console.log(
      `kills during a check: ${busy}; crashes the person was told of: ${reported}; server: ${client.memory().toFixed(1)} MB`,
    );
    assert(busy >= 10, "the kills must hit something");
    await eventually("no zombies", () => !descendants(client.process.pid).some(isZombie));
    assert(client.isSmall());
  }));

test("A worker that dies again and again is told of once, and the next file is checked", () =>
  session({}, async (client) => {
    const slow = await client.open("slow.c", Endless);
    const version = client.documents.get(slow).version;
    const told = () => client.shown(slow).some((diagnostic) => Crash.test(diagnostic.message));
    await client.checking(slow);
    while (!told()) {
      for (const worker of workersOf(client.process.pid)) {
        try {
          process.kill(worker, "SIGKILL");
        } catch {
          // gone by itself
        }
      }
      await pause(30);
    }
    assert.equal(client.shown(slow).length, 1);
    assert.equal(client.published(slow).at(-1).params.version, version);
    client.kept = [logOf(client.shown(slow)[0])];
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

test("A worker that is stopped is noticed, and another one answers", () =>
  session({}, async (client) => {
    const uri = await client.open("slow.c", `// picket: timeout=0\n${writers(9)}`); // no limit would end it
    await exploring(client);
    const hanging = await workerAtWork(client);
    process.kill(hanging, "SIGSTOP");
    assert.deepEqual(await client.checked(uri), []);
    assert.equal(client.status(uri).state, "done");
    assert(
      client.notifications("window/logMessage").some(({ params }) => /did not answer any more/.test(params.message)),
      client.describe(),
    );
    await eventually("the stopped worker to end", () => !alive(hanging));
  }));

test("A file that takes more memory than allowed costs its worker, and nothing else", () =>
  session({}, async (client) => {
    // The compiler makes some gigabytes of it, and knows nothing of limits.
    const uri = await client.open("huge.c", `// picket: memory=64M\nint a[100000000] = { [99999999] = 1 };\n${Buggy}`);
    const diagnostics = await client.checked(uri);
    assert.equal(diagnostics.length, 1, JSON.stringify(diagnostics));
    assert.match(diagnostics[0].message, /not decided: the memory limit of 64 MiB was reached/);
    assert.equal(diagnostics[0].severity, 2);
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

test("The memory limit is kept by the exploration itself", () =>
  session({}, async (client) => {
    const source = `// picket: memory=64M models=sc
#include <pthread.h>
#include <stdlib.h>
volatile int x;
void *eat(void *p) { for (int i = 0; i < 100; i++) { char *m = malloc(1 << 20); m[0] = x; x = m[0] + 1; } return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, eat, 0); x = 7; pthread_join(t, 0); return 0; }
`;
    const diagnostics = await client.checked(await client.open("eater.c", source));
    assert.equal(diagnostics.length, 1, JSON.stringify(diagnostics));
    assert.match(
      diagnostics[0].message,
      /not decided under SC: the program allocates more than 58720256 of the 67108864 bytes that the check may take/,
    );
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

test("A killed server takes its workers with it, and the next one removes its files", async () => {
  const client = await Client.start();
  const others = () => readdirSync(client.temporary).filter((name) => name.startsWith("picket-lsp-"));
  try {
    await client.open("slow.c", Endless);
    await exploring(client);
    await eventually("all workers", () => workersOf(client.process.pid).length > 1);
    const workers = workersOf(client.process.pid);
    process.kill(await workerAtWork(client), "SIGSTOP"); // one that cannot notice by itself
    process.kill(client.process.pid, "SIGKILL");
    await client.exited();
    await eventually("the workers to end", () => !workers.some(alive));
    const [stale] = others();
    assert(stale, "a killed server cannot clean up");
    await session({ env: { TMPDIR: client.temporary } }, async (next) => {
      assert.equal(others().length, 1);
      assert(!others().includes(stale));
      await session({ env: { TMPDIR: client.temporary } }, async () => {
        assert.equal(others().length, 2, "the directory of a server that is there is left alone");
      });
      assert.equal((await next.checked(await next.open("sb.c", Buggy))).length, 1);
    });
    assert.deepEqual(others(), []);
  } finally {
    await client.kill();
  }
});

test("A file that crashes the compiler has one diagnostic, and the next file is checked", () =>
  session({}, async (client) => {
    const crash = await client.open("crash.c", `#pragma clang __debug crash\n${Buggy}`);
    assert.equal((await client.checked(crash)).length, 1);
    const deep = await client.open("deep.c", `int main(void) { return ${"!".repeat(300_000)}0; }\n`);
    assert.equal((await client.checked(deep)).length, 1);
    assert.equal((await client.checked(await client.open("sb.c", Buggy))).length, 1);
  }));

// What a proper client never sends.

const frame = (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const ping = (id) => frame(JSON.stringify({ jsonrpc: "2.0", id, method: "picket/models", params: {} }));

/** A server for raw bytes. It must not end by a signal, whatever it is told. */
async function talk(body, { initialize = true } = {}) {
  const client = new Client();
  try {
    if (initialize) await client.initialize({ capabilities: FullCapabilities, processId: process.pid });
    await body(client);
    const children = descendants(client.process.pid);
    client.process.stdin.end();
    const exit = await client.exited();
    assert.equal(exit.signal, null, client.stderr);
    assert(exit.code === 0 || exit.code === 1, `exit code ${exit.code}: ${client.stderr}`);
    assert.doesNotMatch(client.stderr, /Sanitizer|runtime error|Assertion|Stack dump/);
    await eventually("its children to end", () => !children.some(alive));
  } finally {
    await client.kill();
  }
}
const replied = (client, id) =>
  client.until(`a reply to ${id}`, () => client.messages.find((message) => message.id === id && !message.method));
const errorReply = (client, code) =>
  client.until(`an error ${code}`, () =>
    client.messages.find((message) => message.id === null && message.error?.code === code),
  );

test("Text that is not JSON is answered with a parse error", () =>
  talk(async (client) => {
    client.raw(frame("{not json"));
    await errorReply(client, -32700);
    client.raw(ping("after"));
    await replied(client, "after");
  }));

const notification = (method, params) => JSON.stringify({ jsonrpc: "2.0", method, params });
const NotRequests = [
  "3",
  "null",
  '"text"',
  "[]",
  "[1,2]",
  "{}",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"1.0","id":1,"method":"x"}',
  '{"id":12.5}',
  '{"jsonrpc":"2.0","method":7}',
  '{"jsonrpc":"2.0","id":{},"method":"shutdown"}',
  '{"jsonrpc":"2.0","id":99,"result":null}',
  '{"jsonrpc":"2.0","id":"never asked","error":{"code":1,"message":""}}',
  '{"jsonrpc":"2.0","id":99,"error":7}',
  '{"jsonrpc":"2.0","method":"textDocument/didOpen"}',
  '{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[]}',
  notification("textDocument/didChange", {
    textDocument: { uri: "file:///x.c" },
    contentChanges: [{ range: { start: { line: -1, character: -5 }, end: { line: 1e99, character: 0 } }, text: "" }],
  }),
  '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[]}}',
  '{"jsonrpc":"2.0","method":"$/progress","params":null}',
  '{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":[[[]]]}}',
  notification("workspace/didChangeConfiguration", {
    settings: { picket: { check: 7, models: { a: 1 }, unroll: -1, timeout: [], memory: "x", jobs: 1e300 } },
  }),
  "[".repeat(100_000),
  `{"jsonrpc":"2.0","id":1,"method":"x","params":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "\ufeff{}",
  '{"jsonrpc":"2.0","id":5,"method":"x\\u0000y"}',
  '{"jsonrpc":"2.0","id":6,"method":"\\ud800"}',
];
test("Messages that make no sense are survived", () =>
  talk(async (client) => {
    for (const [index, text] of NotRequests.entries()) {
      client.raw(frame(text));
      client.raw(ping(`after ${index}`));
      await replied(client, `after ${index}`);
    }
    client.raw(frame(Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]).toString("latin1")));
    client.raw("Content-Length: 4\r\n\r\n");
    client.raw(Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    client.raw(ping("last"));
    await replied(client, "last");
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
  }));

test("Headers: any case, any order, others too; bodies in pieces", () =>
  talk(async (client) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: "header", method: "picket/models", params: {} });
    const spellings = [
      `content-length: ${body.length}\r\n\r\n`,
      `CONTENT-LENGTH:${body.length}\r\n\r\n`,
      `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n`,
      `Content-Length: ${body.length}\r\nX-Other: 1\r\n\r\n`,
    ];
    for (const [index, spelling] of spellings.entries()) {
      client.raw(spelling + body.replace('"header"', `"heade${index}"`));
      await replied(client, `heade${index}`);
    }
    const whole = Buffer.from(ping("pieces"));
    for (const byte of whole) {
      client.raw(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await replied(client, "pieces");
  }));

const WrongHeaders = {
  "no length": "X-Other: 1\r\n\r\n{}",
  "length without number": "Content-Length: many\r\n\r\n{}",
  "negative length": "Content-Length: -5\r\n\r\n{}",
  "empty length": "Content-Length:\r\n\r\n{}",
  "length beyond all numbers": "Content-Length: 99999999999999999999999\r\n\r\n{}",
  "length beyond all memory": "Content-Length: 9000000000000000000\r\n\r\n{}",
  "length of ten gigabytes": "Content-Length: 10737418240\r\n\r\n{}",
  "length of zero": "Content-Length: 0\r\n\r\n",
  "no header": '{"jsonrpc":"2.0","id":1,"method":"shutdown"}',
  "line of a megabyte": "x".repeat(1 << 20),
  "many lines": "a: b\r\n".repeat(100_000),
  "zero bytes": "\0".repeat(1000),
  "an HTTP request": "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
};
for (const [name, bytes] of Object.entries(WrongHeaders)) {
  test(`Wrong header (${name}): no crash, and memory stays small`, () =>
    talk(async (client) => {
      client.raw(bytes);
      // After wrong headers nobody knows where a message begins, so an answer is welcome but not due.
      client.raw(ping("after"));
      await Promise.race([
        eventually(
          "the end or an answer",
          () => client.exit || client.messages.some((message) => message.id === "after"),
        ),
        pause(300),
      ]);
      if (!client.exit) assert(client.isSmall());
    }));
}

test("A document of 20 megabytes is survived, and its memory given back", () =>
  talk(async (client) => {
    const text = `/*${"0123456789abcde\n".repeat((20 << 20) / 16)}*/\nint f(void);\n`;
    const big = await client.open("big.c", text);
    await client.until("it to be looked at", () => client.status(big)?.state === "quiet");
    await eventually("memory to be small while it is open", () => client.isSmall());
    await client.edit(big, `${text}\n`);
    await client.close(big);
    const uri = await client.open("sb.c", Buggy);
    assert.equal((await client.checked(uri)).length, 1);
    await eventually("memory to be small", () => client.isSmall());
    console.log(`server after a document of 20 MB: ${client.memory().toFixed(1)} MB`);
  }));

test("Input that ends in the middle", async () => {
  const whole = ping("cut");
  for (const length of [
    1,
    10,
    whole.indexOf("\r\n") + 1,
    whole.indexOf("\r\n") + 3,
    whole.indexOf("{"),
    whole.indexOf("{") + 20,
    whole.length - 1,
  ])
    await talk(async (client) => client.raw(whole.slice(0, length)), { initialize: false });
});

test("An editor that does not read any more", async () => {
  const client = new Client();
  try {
    await client.initialize({ capabilities: FullCapabilities, processId: process.pid });
    await client.checking(await client.open("slow.c", Endless));
    const children = descendants(client.process.pid);
    client.process.stdout.destroy();
    for (let version = 2; version < 100 && !client.exit; ++version) client.raw(ping(version));
    client.process.stdin.end();
    const { signal } = await client.exited();
    assert.equal(signal, null, "ended by a signal");
    await eventually("the workers to end", () => !children.some(alive));
  } finally {
    await client.kill();
  }
});

test("An editor that reads nothing for a while does not stop the checks", () =>
  session({}, async (client) => {
    client.process.stdout.pause();
    const uris = [];
    for (let index = 0; index < 20; ++index)
      uris.push(await client.open(`document${index}.c`, `${Buggy}int number${index};\n`));
    await pause(500);
    client.process.stdout.resume();
    for (const uri of uris) assert.equal((await client.checked(uri)).length, 1);
  }));

// A long day: files that change and are saved, checks that are cancelled, workers that are killed. $PICKET_SOAK_SAVES says
// how many saves (60).
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, session } from "./client.mjs";
import { alive, descendants, isZombie, workersOf } from "./processes.mjs";
import { Buggy, Fixed, writers } from "./programs.mjs";

const Saves = Number(process.env.PICKET_SOAK_SAVES ?? 60);
const Seed = Number(process.env.PICKET_SOAK_SEED ?? 20260101);
const LookEvery = 20;
const Growth = 8; // megabytes that the server may have more at the end than when it was warm
const Crash = /stopped unexpectedly/;

function generator(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Programs with the number of diagnostics that the last version must have. */
const Kinds = [
  { text: Buggy, wrong: 1 },
  { text: Fixed, wrong: 0 },
  { text: writers(6), wrong: 0 },
  { text: writers(7, "x != 3"), wrong: 1 },
  { text: "int f(void) { return 1; }\n", wrong: 0 },
  { text: "int main(void) { return }\n", wrong: 1 },
];

/** Forgets what was said long ago: the client is to stay small too. What is shown now stays. */
function forget(client, uris) {
  const last = new Set();
  for (const uri of uris) {
    last.add(client.published(uri).at(-1));
    last.add(
      client
        .notifications("picket/status")
        .filter((message) => message.params.uri === uri)
        .at(-1),
    );
  }
  client.messages = client.messages.filter((message) => last.has(message));
}

/** The answer about the last version. */
async function answered(client, uri) {
  try {
    return await client.checked(uri);
  } catch (error) {
    const { version } = client.published(uri).at(-1).params;
    throw new Error(
      `${error.message}\nshown is version ${version}, the status is ${JSON.stringify(client.status(uri))}`,
    );
  }
}

/** No diagnostics of a version are followed by those of an earlier one. */
function expectNoStale(client, uri) {
  const versions = client
    .published(uri)
    .map((message) => message.params.version)
    .filter((version) => version !== undefined);
  assert.deepEqual(
    versions,
    [...versions].sort((left, right) => left - right),
    `versions of ${uri} go up`,
  );
}

test(`${Saves} saves with edits, cancels and killed workers`, () =>
  session({}, async (client) => {
    const random = generator(Seed);
    const below = (limit) => Math.floor(random() * limit);
    const documents = [];
    for (let index = 0; index < 6; ++index) {
      const kind = Kinds[index];
      documents.push({ kind, uri: await client.open(`document${index}.c`, kind.text) });
    }
    let killed = 0;
    let cancelled = 0;
    let told = 0;
    let warm;
    for (let save = 1; save <= Saves; ++save) {
      const document = documents[below(documents.length)];
      if (random() < 0.5) document.kind = Kinds[below(Kinds.length)];
      for (let edits = below(3); edits > 0; --edits)
        await client.edit(document.uri, `${document.kind.text}/* typing ${save}.${edits} */\n`);
      const remark = random() < 0.5 ? `/* save ${save} */\n` : `int saved${save};\n`; // the same program, or another one
      await client.editAndSave(document.uri, `${document.kind.text}${remark}`);
      document.cancelled = false;
      if (random() < 0.3) await pause(random() * 150);
      if (random() < 0.1) {
        ++cancelled;
        document.cancelled = true;
        await client.command("picket.cancel", document.uri);
      }
      if (random() < 0.1) {
        const workers = workersOf(client.process.pid).filter(alive);
        if (workers.length > 0) (process.kill(workers[below(workers.length)], "SIGKILL"), ++killed);
      }
      if (save % LookEvery !== 0 && save !== Saves) continue;
      for (const { uri, kind, cancelled: mayBeOpen } of documents) {
        if (mayBeOpen) await client.save(uri);
        let diagnostics = await answered(client, uri);
        if (diagnostics.some(({ message }) => Crash.test(message))) {
          // killed too often: the person is told, and saves again
          ++told;
          client.kept.push(/log: (.*)$/.exec(diagnostics[0].message)[1]);
          await client.editAndSave(uri, `${client.documents.get(uri).text}\n`);
          diagnostics = await answered(client, uri);
        }
        assert.equal(
          diagnostics.length,
          kind.wrong,
          `save ${save}: ${JSON.stringify(diagnostics)}\n${client.documents.get(uri).text}`,
        );
        expectNoStale(client, uri);
      }
      for (const document of documents) document.cancelled = false;
      await eventually("no zombies", () => !descendants(client.process.pid).some(isZombie));
      assert(workersOf(client.process.pid).length <= 8, "workers are used again");
      forget(
        client,
        documents.map(({ uri }) => uri),
      );
      if (save <= Saves / 3) warm = client.memory();
    }
    console.log(
      `${Saves} saves, ${cancelled} cancelled, ${killed} workers killed, ${told} told of; ` +
        `server: ${warm.toFixed(1)} MB when warm, ${client.memory().toFixed(1)} MB at the end`,
    );
    assert(client.memory() < warm + Growth, "memory stays flat");
  }));

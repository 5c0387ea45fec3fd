import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff, defaultBackoff } from "../src/backoff";

test("Ever longer, then no more", () => {
  let now = 0;
  const backoff = new Backoff({ delays: [0, 10, 100], window: 1000 }, () => now);
  const seen = [];
  for (let i = 0; i < 4; i++) {
    seen.push(backoff.crashed());
    now += 10;
  }
  assert.deepEqual(seen, [0, 10, 100, undefined]);
  assert.equal(backoff.count, 4);
});

test("Crashes of long ago are forgotten", () => {
  let now = 0;
  const backoff = new Backoff({ delays: [0, 10], window: 1000 }, () => now);
  for (let i = 0; i < 10; i++) {
    assert.equal(backoff.crashed(), 0);
    now += 1000;
  }
});

test("A start by hand begins anew", () => {
  const backoff = new Backoff({ delays: [0], window: 1000 }, () => 5);
  assert.equal(backoff.crashed(), 0);
  assert.equal(backoff.crashed(), undefined);
  backoff.reset();
  assert.equal(backoff.crashed(), 0);
});

test("The delays in use grow", () => {
  const { delays, window } = defaultBackoff;
  assert.deepEqual(
    [...delays].sort((a, b) => a - b),
    [...delays],
  );
  assert(delays.reduce((a, b) => a + b, 0) < window, "else a server that always crashes is never given up");
});

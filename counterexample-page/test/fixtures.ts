// The fixtures, read anew for each use so that a test may change them.
import { readFileSync } from "node:fs";
import type { Counterexample } from "../src/data";

export type FixtureName = "dekker" | "publication" | "account" | "ring";
export const fixtureNames: FixtureName[] = ["dekker", "publication", "account", "ring"];

export function fixture(name: FixtureName): Counterexample {
  return JSON.parse(readFileSync(`test/fixtures/${name}.json`, "utf8")) as Counterexample;
}

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ALGORITHM_CHOICES, ALGORITHMS, isAlgorithm, movesOnlyIfAsked } from "@/plans/algorithms";

interface Declared {
  readonly name: string;
  readonly summary: string;
  readonly offered: boolean;
}

const declared: Declared[] = JSON.parse(readFileSync("../docs/openapi.json", "utf8")).components.schemas.Algorithm[
  "x-algorithms"
];

it("offers what the API declares as offered, in its order and with its words", () => {
  const offered = declared.filter(({ offered }) => offered);
  expect(ALGORITHMS).toEqual(offered.map(({ name, summary }) => ({ key: name, note: summary })));
  expect(ALGORITHM_CHOICES.map(({ key }) => key)).toEqual(["automatic", ...offered.map(({ name }) => name)]);
});

it("knows every algorithm that a plan may name, offered or not", () => {
  expect(declared.every(({ name }) => isAlgorithm(name))).toBe(true);
  expect(declared.some(({ offered }) => !offered)).toBe(true);
  expect(isAlgorithm("best")).toBe(false);
});

it("knows who lets what runs stay unless moves are asked for", () => {
  const keys = ["automatic", ...ALGORITHMS.map(({ key }) => key)];
  expect(keys.filter(movesOnlyIfAsked)).toEqual(expect.arrayContaining(["lpt", "min_max", "calibrated"]));
  expect(["automatic", "exact", "anytime", "node_first"].filter(movesOnlyIfAsked)).toEqual([]);
});

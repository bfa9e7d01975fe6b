import { describe, expect, it } from "vitest";
import { findEntries } from "@/app/find";
import { EMPTY, reduce, toSnapshot } from "@/live/state";
import { studiesSearch } from "@/pages/searches";
import { binned, differencesOf, spreadOf, thinned } from "@/studies/differences";
import { axisOf, type DotGroup } from "@/studies/dot-rows";
import { estimateText, metricsText, runsNote } from "@/studies/estimate";
import { EXAMPLES } from "@/studies/examples";
import { bySecond } from "@/studies/seconds";
import { lineOf } from "@/studies/toml-lines";
import { mergedStudies } from "@/studies/use-study";
import { snapshot } from "./fixtures";
import { estimate, placed, predictedChain, result, study } from "./study-fixtures";

describe("differences of predictions", () => {
  it("are carried less predicted, in points of the throughput alone; where nothing was said there is none", () => {
    const rows = [
      // 9 carried, 8 predicted, 10 alone: 10 points more than predicted.
      predictedChain(0, 9, { octans: 8 }),
      // 7 carried, 7.5 predicted: 5 points less.
      predictedChain(1, 7, { octans: 7.5 }),
      predictedChain(2, 7, { octans: null }),
    ];
    expect(differencesOf(rows, "octans")).toEqual([-5, 10]);
    expect(differencesOf(rows, "curves")).toEqual([]);
  });

  it("are spread between neighbours by their distance", () => {
    // 0, 1, ... 40: the 2.5th of a hundred stands at 0.025 x 40 = 1.
    const sorted = Array.from({ length: 41 }, (_, value) => value);
    expect(spreadOf(sorted)).toEqual({ low: 1, quarter: 10, middle: 20, threeQuarters: 30, high: 39 });
    // Of two, the middle is halfway.
    expect(spreadOf([2, 4])?.middle).toBe(3);
    expect(spreadOf([])).toBeNull();
  });

  it("are counted in bins with an edge at 0, empty ones between them included", () => {
    expect(binned([-1.5, -0.5, 0, 1.9, 6], 2)).toEqual([
      { from: -2, to: 0, count: 2 },
      { from: 0, to: 2, count: 2 },
      { from: 2, to: 4, count: 0 },
      { from: 4, to: 6, count: 0 },
      { from: 6, to: 8, count: 1 },
    ]);
    expect(binned([], 1)).toEqual([]);
  });

  it("of very many are drawn evenly thinned", () => {
    // 10 of at most 4: every third.
    expect(thinned([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4)).toEqual([0, 3, 6, 9]);
    expect(thinned([1, 2], 4)).toEqual([1, 2]);
  });
});

describe("the axis of figures in rows", () => {
  const group = (...values: [number, number | null][]): DotGroup[] => [
    {
      title: "",
      note: "",
      rows: values.map(([value, half]) => ({
        name: String(value),
        dots: [{ look: "simulated", of: estimate(value, half), title: "" }],
        end: "",
      })),
    },
  ];

  it("begins at 0 and holds every interval", () => {
    // 33 + 3 = 36, in at most 5 steps: 36 / 5 = 7.2, the next round step is 10.
    expect(axisOf(group([33, 3], [22, null]), false)).toEqual({ low: 0, high: 40, ticks: [0, 10, 20, 30, 40] });
  });

  it("close up begins below the least figure and ends above the most", () => {
    // 30.5 to 33: 2.5 in at most 5 steps are steps of 0.5.
    const axis = axisOf(group([30.5, null], [33, null]), true);
    expect(axis).toEqual({ low: 30.5, high: 33, ticks: [30.5, 31, 31.5, 32, 32.5, 33] });
    // One figure: 30 in at most 5 steps, of which the first is drawn.
    expect(axisOf(group([30, null]), true)).toEqual({ low: 30, high: 40, ticks: [30, 40] });
    // Figures on both sides of 0 have it in sight as they are.
    expect(axisOf(group([-1, null], [3, null]), true)).toMatchObject({ low: -1, high: 3 });
  });
});

describe("seconds", () => {
  it("are means over runs, by algorithm in the study's order", () => {
    const found = result({
      placed: [placed("node_first", 1, [4, 4]), placed("exact", 1, [6, 2]), placed("exact", 2, [8, 4])],
    });
    expect(bySecond(found, "edge")).toEqual([
      { algorithm: "exact", mpps: [7, 3] },
      { algorithm: "node_first", mpps: [4, 4] },
    ]);
    expect(bySecond(result({ placed: [placed("exact", 1, [])] }), "edge")).toEqual([]);
  });
});

describe("the line of a refusal", () => {
  const toml = [
    'name = "x"',
    "[server]",
    'machine = "m"',
    "[[nf]]",
    'name = "a"',
    "[[nf]]",
    'name = "b"',
    'like = "?"',
  ].join("\n");

  it("is the key's, or the nearest table's", () => {
    expect(lineOf(toml, "name", "is wrong")).toBe(1);
    expect(lineOf(toml, "server.machine", "is wrong")).toBe(3);
    expect(lineOf(toml, "nf.1.like", "is wrong")).toBe(8);
    // Missing there: its table.
    expect(lineOf(toml, "server.io", "is missing")).toBe(2);
    expect(lineOf(toml, "nf.0.like.2", "is wrong")).toBe(4);
  });

  it("is that of the entry which is named", () => {
    expect(lineOf(toml, "nf b", "is in a set")).toBe(7);
    expect(lineOf(toml, "set edge", "9 NFs")).toBeNull();
  });

  it("is in the message where the text is no TOML, and unknown where nothing names it", () => {
    expect(lineOf(toml, "", "is no TOML: Invalid value (at line 7, column 8)")).toBe(7);
    expect(lineOf(toml, "algorithms", "a placement study names one at least")).toBeNull();
  });
});

describe("studies in the stream", () => {
  const event = (version: number, state: "running" | "done" = "running") =>
    ({ event: "study", study: study({ version, state }) }) as const;

  it("come with the snapshot, change, and go", () => {
    const state = reduce(EMPTY, [snapshot({ studies: [study()] }), event(6, "done"), event(4)]);
    expect(state.studies.get(3)?.state).toBe("done");
    expect(toSnapshot(state, "2026-11-22T10:00:00Z").studies).toHaveLength(1);
    expect(reduce(state, [{ event: "study_gone", id: 3 }]).studies.size).toBe(0);
  });

  it("are found by number and by name", () => {
    const state = reduce(EMPTY, [snapshot({ studies: [study()] })]);
    expect(findEntries("study 3", state).map(({ href }) => href)).toEqual(["/studies/3"]);
    expect(findEntries("gains", state).map(({ href }) => href)).toEqual(["/studies/3"]);
  });

  it("bring the list up to date: newest first, in one state where that is asked", () => {
    const live = new Map([
      [3, study({ version: 9, state: "done" })],
      [5, study({ id: 5, version: 1 })],
    ]);
    const fetched = [study({ version: 8 }), study({ id: 2, state: "done" })];
    expect(mergedStudies(fetched, live).map(({ id, state }) => [id, state])).toEqual([
      [5, "running"],
      [3, "done"],
      [2, "done"],
    ]);
    expect(mergedStudies(fetched, live, "running").map(({ id }) => id)).toEqual([5]);
  });
});

describe("words", () => {
  it("give a figure its interval", () => {
    expect(estimateText(estimate(33.04, 0.42))).toBe("33.0 ± 0.42");
    expect(estimateText(estimate(12, null))).toBe("12.0");
    expect(estimateText(estimate(33, 0))).toBe("33.0");
    expect(metricsText({ runs: 3, metrics: { cycles: 2, "llc-misses": 1 } })).toBe(
      "cycles in 2 of 3 runs, llc-misses in 1 of 3 runs",
    );
    expect(metricsText({ runs: 3, metrics: { cycles: 3 } })).toBe("");
    expect(runsNote({ runs: 1, draws: 1 })).toBe("1 run, so no spread is known");
    expect(runsNote({ runs: 3, draws: 1 })).toBe("± 95 % spread over the noise of profiles, 3 seeds");
    expect(runsNote({ runs: 5, draws: 5 })).toBe("± 95 % spread over 5 draws of the twin's priors");
  });

  it("know the states that an address may name", () => {
    expect(studiesSearch({ state: "failed" })).toEqual({ state: "failed" });
    expect(studiesSearch({ state: "constructor" })).toEqual({});
  });

  it("begin with files that the repository ships", () => {
    for (const { key, toml } of EXAMPLES) expect(toml).toContain(`name = "${key}"`);
  });
});

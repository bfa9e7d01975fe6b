/** What happened to a chain during an operation: the range, the marks, what was predicted, what was lost. */

import { describe, expect, it } from "vitest";
import type { History, Operation } from "@/api/types";
import { appliedAt, lossWhileChanging, predictionAt, predictionText, rangeOf, stepMarks } from "@/operations/course";

const AT = Date.parse("2026-11-26T10:00:00Z");
const time = (seconds: number) => new Date(AT + seconds * 1000).toISOString();

const operation = {
  id: 7,
  created_at: time(0),
  finished_at: time(12),
  hosts: [
    {
      host: "edge-1",
      steps: [
        { name: "put", state: "done", started_at: time(1), finished_at: time(2) },
        { name: "converge", state: "done", started_at: time(2), finished_at: time(4) },
      ],
    },
  ],
} as unknown as Operation;

/** Ten samples, one a second: 0.5 Mpps are offered; 100 packets are dropped in second 3, 7 in second 8. */
function history(changes: Partial<History> = {}): History {
  const at = Array.from({ length: 10 }, (_, second) => AT / 1000 + second);
  const series = (figure: string, mean: number[]) => ({ figure, mean, least: mean, most: mean });
  return {
    at,
    samples: at.map(() => 1),
    step_s: 1,
    start: time(0),
    end: time(10),
    provenance: at.map(() => "measured"),
    series: [
      series(
        "offered_mpps",
        at.map(() => 0.5),
      ),
      series(
        "drop_mpps",
        at.map((_, second) => ({ 3: 1e-4, 8: 7e-6 })[second] ?? 0),
      ),
    ],
    ...changes,
  } as History;
}

describe("the range", () => {
  it("begins half a minute before, and ends a minute after", () => {
    expect(rangeOf(operation, AT + 3_600_000)).toEqual({ from: time(-30), to: time(70), grows: false });
  });

  it("grows in steps of five seconds until then", () => {
    expect(rangeOf({ ...operation, finished_at: null }, AT + 8999)).toEqual({
      from: time(-30),
      to: time(5),
      grows: true,
    });
  });
});

it("marks when a host begins to change and when it is done", () => {
  expect(stepMarks(operation).map(({ at, text }) => [at - AT / 1000, text])).toEqual([
    [2, "edge-1: Converge begins"],
    [4, "edge-1: Converge done"],
  ]);
});

describe("what was lost", () => {
  it("counts what was dropped while the host changed: seconds 2 to 4, 100 of 1,500,000 packets", () => {
    expect(lossWhileChanging(operation, history())).toBe(
      "100 packets dropped while hosts changed, <0.1 % of what was offered.",
    );
  });

  it("tells what was dropped all along from what the change lost", () => {
    const dropping = (perSecond: number[]) =>
      history({
        series: history().series.map((one) =>
          one.figure === "drop_mpps" ? { ...one, mean: history().at.map((_, second) => perSecond[second] ?? 0) } : one,
        ),
      });
    // Seconds 0 and 1 drop 100 each, so seconds 2 to 4 would have dropped 300; they drop 100 + 250 + 100 = 450.
    expect(lossWhileChanging(operation, dropping([1e-4, 1e-4, 1e-4, 2.5e-4, 1e-4]))).toBe(
      "450 packets dropped while hosts changed, <0.1 % of what was offered; 300 packets at the rate of before, so 150 more by the change.",
    );
    // 3 x 90 = 270 are fewer than 300.
    expect(lossWhileChanging(operation, dropping([1e-4, 1e-4, 9e-5, 9e-5, 9e-5]))).toBe(
      "270 packets dropped while hosts changed, <0.1 % of what was offered; 300 packets at the rate of before, so none by the change.",
    );
  });

  it("looks no further back than the change lasted: three seconds before second 5, not second 1", () => {
    const converge = { name: "converge", state: "done", started_at: time(5), finished_at: time(7) };
    const later = { ...operation, hosts: [{ host: "edge-1", steps: [converge] }] } as unknown as Operation;
    const series = history().series.map((one) =>
      one.figure === "drop_mpps" ? { ...one, mean: [0, 1e-3, 0, 0, 0, 0, 2e-6, 0, 0, 0] } : one,
    );
    expect(lossWhileChanging(later, history({ series }))).toBe(
      "2 packets dropped while hosts changed, <0.1 % of what was offered.",
    );
  });

  it("says that nothing was, where nothing was", () => {
    const none = history().series.map((one) => ({ ...one, mean: one.mean.map((mean) => (mean === 0.5 ? mean : 0)) }));
    expect(lossWhileChanging(operation, history({ series: none }))).toBe("No packet was dropped while hosts changed.");
  });

  it("claims nothing before a host begins, nor of a chain that is offered nothing", () => {
    expect(lossWhileChanging({ ...operation, hosts: [] }, history())).toBeNull();
    expect(lossWhileChanging(operation, history({ series: [] }))).toBe(
      "Nothing was offered to it while hosts changed.",
    );
  });
});

describe("what was predicted", () => {
  const old = {
    at: time(1),
    until: null,
    plan_id: 9,
    predictor: "octans",
    predicted_mpps: 0.4,
    low_mpps: 0.3,
    high_mpps: null,
  };
  const own = { throughput_mpps: 0.6, low_mpps: 0.5, high_mpps: 0.7, note: null };
  const applied = { at: AT / 1000 + 4, planId: 11, prediction: own };
  const means = (found: readonly { mean: number | null }[]) => found.map(({ mean }) => mean);

  it("is of the plan before until the hosts had what was ordered, then of the plan that was applied", () => {
    expect(appliedAt(operation)).toBe(AT / 1000 + 4);
    const found = predictionAt(history({ predictions: [old] }), applied);
    // Outcome of plan 9 at second 1, converged at second 4.
    expect(means(found)).toEqual([null, 0.4, 0.4, 0.4, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]);
    expect(found[3]).toEqual({ at: AT / 1000 + 3, mean: 0.4, least: 0.3, most: 0.4 });
    expect(found[4]).toEqual({ at: AT / 1000 + 4, mean: 0.6, least: 0.5, most: 0.7 });
    expect(predictionText(applied)).toBe("Predicted by plan 11, from when its hosts had what was ordered.");
  });

  it("ends where the applied plan predicts nothing, and the reason is said", () => {
    const without = { ...applied, prediction: { ...own, throughput_mpps: null, note: "no model of nids" } };
    expect(means(predictionAt(history({ predictions: [old] }), without)).slice(3, 6)).toEqual([0.4, null, null]);
    expect(predictionText(without)).toBe("Plan 11 predicts nothing here: no model of nids.");
    expect(predictionText({ ...applied, prediction: null })).toBe("Plan 11 predicts nothing here.");
  });

  it("is of a later plan once that was measured, and of the plan before where all went back", () => {
    const late = { ...old, at: time(7), plan_id: 12, predicted_mpps: 0.9 };
    expect(means(predictionAt(history({ predictions: [old, late] }), applied)).slice(5)).toEqual([
      0.6, 0.6, 0.9, 0.9, 0.9,
    ]);
    const ours = { ...old, at: time(4), until: time(6), plan_id: 11, predicted_mpps: 0.6 };
    expect(means(predictionAt(history({ predictions: [old, ours] }), applied)).slice(4, 8)).toEqual([
      0.6,
      0.6,
      null,
      null,
    ]); // the plan after it predicts nothing
    const back = { ...applied, at: appliedAt({ ...operation, state: "ROLLED_BACK" }) };
    expect(back.at).toBeNull();
    expect(means(predictionAt(history({ predictions: [old] }), back)).slice(3, 6)).toEqual([0.4, 0.4, 0.4]);
    expect(predictionText(back)).toBe("Nothing of plan 11 is in force: what is predicted is of the plan before.");
  });
});

/** What happened to a chain during an operation: the range, the marks, what was predicted, what was lost. */

import { describe, expect, it } from "vitest";
import type { History, Operation } from "@/api/types";
import { lossWhileChanging, predictionAt, rangeOf, stepMarks } from "@/operations/course";

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

it("shows what was predicted from the moment on at which its plan was in force", () => {
  const predictions = [
    { at: time(3), plan_id: 9, predictor: "octans", predicted_mpps: 0.4, low_mpps: 0.3, high_mpps: null },
  ];
  const found = predictionAt(history({ predictions }));
  expect(found.slice(0, 3).map(({ mean }) => mean)).toEqual([null, null, null]);
  expect(found[3]).toEqual({ at: AT / 1000 + 3, mean: 0.4, least: 0.3, most: 0.4 });
});

import { describe, expect, it } from "vitest";
import type { Algorithm } from "@/api/types";
import { compareOptions, EMPTY_COMPARISON, readComparison } from "@/comparisons/draft";
import { behind, bestOf, isBest, plotRange, withLive } from "@/comparisons/ranking";
import { readSnapshotFile } from "@/comparisons/snapshot-file";
import { compared, plan } from "./fixtures";

const FILE = JSON.stringify({
  taken_at: "2026-11-20T10:00:00Z",
  hosts: [{ content: { chains: [{ chain: "runs" }] } }, {}],
  chains: [
    { name: "runs", nfs: [1, 2] },
    { name: "waits", nfs: [1] },
  ],
});

describe("a snapshot file", () => {
  it("says what it holds, and what of it is not placed yet", () => {
    expect(readSnapshotFile("zone b.json", FILE.length, FILE)).toMatchObject({
      hosts: 2,
      chains: 2,
      nfs: 3,
      unplaced: ["waits"],
      takenAt: "2026-11-20T10:00:00Z",
    });
  });

  it("is refused with the cause when it is something else", () => {
    for (const text of ["", "{", "[]", "null", '{"hosts": 3, "chains": []}', '"text"']) {
      expect(readSnapshotFile("x.json", text.length, text)).toHaveProperty("error");
    }
    // Hostile parts inside a right frame are not looked into; the console judges them.
    const odd = '{"hosts": [null, 3, {"content": []}], "chains": [null, {"name": 3, "nfs": {}}]}';
    expect(readSnapshotFile("x.json", odd.length, odd)).toMatchObject({ hosts: 3, chains: 2, nfs: 0, unplaced: [] });
  });
});

describe("asking for a comparison", () => {
  const file = readSnapshotFile("zone b.json", FILE.length, FILE);
  if ("error" in file) throw new Error(file.error);

  it("sends the algorithms in one order, and the file as it came", () => {
    const draft = { ...EMPTY_COMPARISON, algorithms: new Set(["node_first", "exact"] as const) };
    const { request } = readComparison({ ...draft, source: "file", file, timeLimit: "60" }, []);
    expect(request).toMatchObject({ algorithms: ["exact", "node_first"], timeLimitS: 60, label: "zone b.json" });
    expect(request?.snapshot).toEqual(JSON.parse(FILE));
    expect(request && compareOptions(request)).toBe(
      " --algorithms exact,node_first --time-limit 60 --snapshot 'zone b.json'",
    );
  });

  it("forgets a file that is not asked for", () => {
    expect(readComparison({ ...EMPTY_COMPARISON, file }, []).request?.snapshot).toBeNull();
  });

  it("names every field that is not right", () => {
    const draft = {
      ...EMPTY_COMPARISON,
      source: "file",
      intent: "place",
      algorithms: new Set<Algorithm>(),
      timeLimit: "x",
    } as const;
    const { request, errors } = readComparison(draft, ["waits"]);
    expect(request).toBeNull();
    expect(Object.keys(errors).sort()).toEqual(["algorithms", "intent.chain", "snapshot", "time_limit_s"]);
    expect(readComparison({ ...EMPTY_COMPARISON, intent: "place", chain: "waits" }, ["waits"]).request?.intent).toEqual(
      {
        kind: "place",
        chain: "waits",
      },
    );
  });
});

describe("side by side", () => {
  const plans = [compared(1, "exact", { score: 350 }), compared(2, "octans", { score: 347 }), compared(3, "brute")];

  it("is measured against the best score; what has none is not ranked", () => {
    const best = bestOf(plans);
    expect(plans.map((each) => behind(each, best))).toEqual([0, -3, null]);
    expect(bestOf([compared(3, "brute")])).toBeNull();
  });

  it("calls scores the same that differ by rounding", () => {
    const near = compared(4, "anytime", { score: 350 - 1e-9 });
    expect(behind(near, bestOf([...plans, near]))).toBe(0);
    expect(isBest(near, bestOf([...plans, near]))).toBe(true);
  });

  it("puts value before score: a plan that leaves out less is best, whatever more another scores", () => {
    const fuller = compared(4, "anytime", { score: 340, rejected: 2, rejected_value: 2 });
    const leaner = compared(5, "node_first", { score: 360, rejected: 1, rejected_value: 5 });
    const best = bestOf([leaner, fuller]);
    expect(best).toBe(fuller);
    expect(isBest(leaner, best)).toBe(false);
    expect(behind(leaner, best)).toBe(20);
  });

  it("has an axis that holds scores and bounds, and none for a single score", () => {
    const bounded = compared(4, "anytime", { score: 348, bound: 352 });
    const range = plotRange([...plans, bounded]);
    expect(range?.low).toBeLessThan(347);
    expect(range?.high).toBeGreaterThan(352);
    expect(plotRange([plans[0] as (typeof plans)[0]])).toBeNull();
  });

  it("shows what the stream knows of a plan that is still made, and no older state of one that is done", () => {
    const progress = { stage: "solving", done: 1, total: 4, best: 3, bound: 9, evaluations: 70, seconds: 1.5 } as const;
    const making = compared(5, "exact", { state: "planning", status: null, evaluations: null, seconds: null });
    const brief = plan(5, { state: "planning", progress });
    expect(withLive(making, brief)).toMatchObject({ bound: 9, evaluations: 70, seconds: 1.5, score: null });
    const done = compared(5, "exact", { score: 4 });
    expect(withLive(done, brief)).toBe(done);
  });
});

import { describe, expect, it } from "vitest";
import type { Policy, Recommendation } from "@/api/types";
import { EMPTY, type LiveState, reduce, toSnapshot } from "@/live/state";
import { draftOf, policyOptions, readPolicy } from "@/recommendations/policy-draft";
import {
  byGain,
  costText,
  gainedText,
  gainOf,
  gainText,
  isHandOver,
  measuredGain,
  promisesNoGain,
  restoresText,
  shareText,
  whatText,
} from "@/recommendations/words";
import { AT, snapshot } from "./fixtures";
import { swap } from "./numasfp-fixtures";

const one = (change: Partial<Recommendation> = {}): Recommendation => ({
  id: 1,
  law: "octans",
  host: null,
  plan_id: 7,
  state: "open",
  hosts: ["r2-03"],
  chains: ["web-edge"],
  moves: 1,
  gain_mpps: 2.44,
  low_mpps: 1.9,
  high_mpps: 2.98,
  gain_percent: 37.2,
  provenance: "predicted",
  restores: [],
  breaks: [],
  trust: "trusted",
  trust_why: "5 of 6 outcomes inside their intervals, mean error 2.1 %",
  automatic: false,
  reason: null,
  operation_id: null,
  created_at: AT,
  decided_at: null,
  decided_by: null,
  ...change,
});

const POLICY: Policy = {
  mode: "recommend",
  margin_percent: 5,
  margin_mpps: 0.1,
  hold_s: 60,
  max_moves: 4,
  rest_s: 60,
  every_s: 15,
  races: true,
};

describe("open recommendations", () => {
  const ready = reduce(EMPTY, [snapshot({ recommendations: [one()] })]);
  const open = (state: LiveState) => [...state.recommendations.values()].map(({ id }) => id);

  it("stand until they are decided", () => {
    expect(open(ready)).toEqual([1]);
    const decided = reduce(ready, [{ event: "recommendation", recommendation: one({ state: "dismissed" }) }]);
    expect(open(decided)).toEqual([]);
    expect(toSnapshot(ready, AT).recommendations).toEqual([one()]);
  });

  it("stand beside those of other laws and of other hosts of one law", () => {
    const second = one({ id: 2, law: "second" });
    const ofHosts = ["edge-1", "edge-2"].map((host, index) => one({ id: 3 + index, law: "by_host", host }));
    const all = reduce(ready, [
      { event: "recommendation", recommendation: second },
      ...ofHosts.map((recommendation) => ({ event: "recommendation", recommendation }) as const),
    ]);
    expect(open(all)).toEqual([1, 2, 3, 4]);
    expect(open(reduce(EMPTY, [toSnapshot(all, AT)]))).toEqual([1, 2, 3, 4]);
    const decided = reduce(all, [{ event: "recommendation", recommendation: one({ state: "accepted" }) }]);
    expect(open(decided)).toEqual([2, 3, 4]);
  });

  it("are listed by their gain", () => {
    const gains = [one(), one({ id: 2, gain_mpps: 4.49 }), one({ id: 3, gain_mpps: 4.49 })];
    expect(byGain(gains).map(({ id }) => id)).toEqual([2, 3, 1]);
  });

  it("has no percentage of nothing", () => {
    expect(shareText(one())).toBe("37 %");
    expect(shareText(one({ gain_percent: null }))).toBe("the present prediction is 0");
  });

  it("says why nothing is measured of what it gained", () => {
    expect(gainedText(one())).toBe("not applied");
    expect(gainedText(one({ state: "accepted", operation_id: 3 }))).toBe("not measured before or after it was applied");
  });

  it("outlive late news of an earlier one of their law", () => {
    const next = reduce(ready, [
      { event: "recommendation", recommendation: one({ id: 2 }) },
      { event: "recommendation", recommendation: one({ state: "withdrawn" }) },
    ]);
    expect(open(next)).toEqual([2]);
  });
});

describe("its words", () => {
  it("name what moves, and count what is too long to name", () => {
    expect(whatText(one())).toBe("1 move of web-edge on r2-03");
    expect(whatText(one({ moves: 4, chains: ["a", "b", "c", "d"] }))).toBe(
      "4 moves of a, b and 2 other chains on r2-03",
    );
  });

  it("say what is mended, and what is broken for it", () => {
    expect(restoresText(one())).toBe("no objective");
    expect(restoresText(one({ restores: ["a", "b"], breaks: ["c"] }))).toBe(
      "throughput of a and b; c would miss its own",
    );
  });

  it("say what it costs", () => {
    expect(costText(one({ moves: 2 }))).toBe("2 restarts; 1 chain loses packets");
  });
});

describe("a law that reckons in Gbps", () => {
  it("gives its gain in its own unit, predicted and measured", () => {
    expect(gainText(gainOf(swap()))).toBe("+3.0 Gbps");
    expect(measuredGain(swap())).toBeNull();
    expect(measuredGain(swap({ measured_gain_gbps: 2.8, measured_gain_mpps: 0 }))).toEqual({
      value: 2.8,
      unit: "Gbps",
    });
    expect(measuredGain(one({ measured_gain_mpps: 2.4 }))).toEqual({ value: 2.4, unit: "value × Mpps" });
  });

  it("moves without a restart", () => {
    expect(costText(swap())).toBe("4 NFs change core; nothing restarts; 2 chains may lose packets while they move");
  });

  it("hands over without a move", () => {
    const handOver = swap({ moves: 0, gain_gbps: 0 });
    expect(isHandOver(handOver)).toBe(true);
    expect(isHandOver(one({ moves: 0 }))).toBe(false);
    expect(whatText(handOver)).toBe("hand-over of nat and web on edge-1");
    expect(costText(handOver)).toBe("no move; nothing restarts");
  });

  it("of lanes is no hand-over, and promises no packets", () => {
    const lanes = one({ law: "srv6", moves: 0, gain_gbps: 0, chains: ["web", "web-lane-2"], hosts: ["a", "b"] });
    expect([isHandOver(lanes), promisesNoGain(lanes)]).toEqual([false, true]);
    expect(whatText(lanes)).toBe("change of web and web-lane-2 on a and b");
    expect(shareText(lanes)).toBe("none predicted: it goes by how long packets take");
    expect(costText(lanes)).toBe("no move; nothing restarts");
    const moved = { ...lanes, moves: 2, chains: ["web"] };
    expect(whatText(moved)).toBe("2 moves of web on a and b");
    expect(costText(moved)).toBe("2 NFs start anew; 1 chain may lose packets");
    expect(isHandOver({ ...lanes, law: "coco" })).toBe(false);
  });

  it("stands before those of other units, which are not compared with it", () => {
    const all = [one({ id: 5, gain_mpps: 90 }), swap({ id: 6, gain_gbps: 1 }), swap({ id: 7, gain_gbps: 3 })];
    expect(byGain(all).map(({ id }) => id)).toEqual([7, 6, 5]);
  });
});

describe("the policy's form", () => {
  it("gives back what it was given", () => {
    expect(readPolicy(draftOf(POLICY)).policy).toEqual(POLICY);
  });

  it("refuses what is no number", () => {
    const { policy, errors } = readPolicy({ ...draftOf(POLICY), hold_s: "soon", max_moves: "1.5", rest_s: "" });
    expect(policy).toBeNull();
    expect(Object.keys(errors)).toEqual(["hold_s", "max_moves", "rest_s"]);
  });

  it("says only what differs as a command", () => {
    expect(policyOptions({ ...POLICY, mode: "automatic", hold_s: 30 }, POLICY)).toBe(" --mode automatic --hold 30");
    expect(policyOptions({ ...POLICY, races: false }, POLICY)).toBe(" --no-races");
  });
});

import { describe, expect, it } from "vitest";
import { gridOf, movesOf, pointAt, scaleOf, ticksOf } from "@/plans/frontier-geometry";
import { change, seat } from "./fixtures";

const point = (moves: number, gain: number, net = gain) => ({ moves, gain_mpps: gain, net_mpps: net, proven: true });

describe("moves against gain", () => {
  it("has round ends, holds every point, and shows 0", () => {
    const scale = scaleOf([point(0, 0), point(5, 5.1, 3.1), point(7, 5.4, 2.6)]);
    expect([scale.bottom, scale.top, scale.most]).toEqual([0, 6, 7]);
    expect(gridOf(scale)).toEqual([0, 2, 4, 6]);
    const costly = scaleOf([point(0, 0), point(4, 0.5, -1.5)]);
    expect(costly.bottom).toBeLessThanOrEqual(-1.5);
    expect(gridOf(costly)).toContain(0);
  });

  it("survives a frontier on which nothing is gained", () => {
    const { top, bottom } = scaleOf([point(0, 0), point(1, 0)]);
    expect(top).toBeGreaterThan(bottom);
  });

  it("writes whole moves under the axis, never more than eight", () => {
    expect(ticksOf(3)).toEqual([0, 1, 2, 3]);
    for (const most of [1, 7, 60, 899, 14_000]) expect(ticksOf(most).length).toBeLessThanOrEqual(8);
  });

  it("counts NFs that run and change nodes, as the engine does", () => {
    const from = seat("edge-1", 1, 0);
    const moved = (to: ReturnType<typeof seat>) => change("web.a", to, { kind: "move", source: from });
    expect(movesOf([change("web.b", from)])).toBe(0);
    expect(movesOf([moved(seat("edge-1", 3, 0))])).toBe(0);
    expect(movesOf([moved(seat("edge-1", 9, 1)), moved(seat("edge-2", 1, 0))])).toBe(2);
  });

  it("stands at the last point with at most so many moves", () => {
    const points = [point(0, 0), point(2, 1), point(5, 2)];
    expect([0, 1, 2, 4, 9].map((moves) => pointAt(points, moves))).toEqual([0, 0, 1, 1, 2]);
  });
});

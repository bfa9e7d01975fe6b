/** Ranges, points and moments of history. */

import { describe, expect, it } from "vitest";
import type { History, PastFleet } from "@/api/types";
import { NOT_KEPT } from "@/fleet/model";
import { marksWithin, neighbour, placed, windowOf } from "@/history/moments";
import { goneHosts, missedThen, pastState } from "@/history/past-fleet";
import { originsOf, pointsOf, predictedPoints } from "@/history/points";
import { between, instantOf, rangeSearch, refreshMs } from "@/history/ranges";
import { chartsOf, commandOf, partsOf, subjectOf, subjectSearch } from "@/history/subjects";
import { tickText, timeTicks } from "@/lib/time-axis";
import { EMPTY, type LiveState } from "@/live/state";
import { gaps, meanPath, runs } from "@/ui/range-chart-geometry";
import { host, nf } from "./fixtures";

const NOON = Date.UTC(2026, 2, 10, 12) / 1000;
const point = (at: number, mean: number | null = 1) => ({ at, mean, least: mean, most: mean });

describe("an address", () => {
  it("holds a range up to now, or two moments in order", () => {
    expect(rangeSearch({ range: "7d" })).toEqual({ range: "7d" });
    expect(rangeSearch({ range: "8d" })).toEqual({});
    const both = { from: "2026-03-10T11:00:00.000Z", to: "2026-03-10T12:00:00.000Z" };
    expect(rangeSearch({ ...both, range: "7d" })).toEqual(both);
    expect(rangeSearch({ from: both.to, to: both.from })).toEqual({});
  });

  it("takes no moment that the API refuses", () => {
    expect(instantOf("2026-03-10T12:00Z")).toBe("2026-03-10T12:00:00.000Z");
    for (const wrong of ["yesterday", "1999-12-31T00:00Z", 7, "", "9".repeat(50)]) expect(instantOf(wrong)).toBeNull();
  });

  it("asks for the same range for a while, so that it is not another request each second", () => {
    const [first, later] = [NOON * 1000 + 1000, NOON * 1000 + 9000].map((now) => between({ range: "1h" }, now));
    expect(first).toEqual({ from: "2026-03-10T11:00:00.000Z", to: "2026-03-10T12:00:00.000Z" });
    expect(later).toEqual(first);
    expect(refreshMs({ range: "1h" })).toBe(12_000); // 3600 s / 300
    expect(refreshMs({ from: "2026-03-10T11:00Z", to: "2026-03-10T12:00Z" })).toBeNull();
  });
});

describe("a chart", () => {
  it("breaks where nothing was measured", () => {
    expect(runs([point(0), point(10), point(30), point(40, null), point(50)], 10).map((run) => run.length)).toEqual([
      2, 1, 1,
    ]);
    const identity = (value: number) => value;
    expect(meanPath([point(0), point(10)], 10, identity, identity)).toBe("M5.0 1.0L15.0 1.0");
    expect(meanPath([point(30)], 10, identity, identity)).toBe("M30.0 1.0L40.0 1.0");
  });

  it("says which times are gaps, from its beginning to its end", () => {
    expect(gaps([20, 30, 60], 10, 0, 100)).toEqual([
      [0, 20],
      [40, 60],
      [70, 100],
    ]);
    expect(gaps([0, 10], 10, 0, 25)).toEqual([]); // the newest point is not whole yet
    expect(gaps([0, 2, 3, 6], 1, 0, 7)).toEqual([[4, 6]]); // one second without a sample is no gap, two are
  });

  it("has few labels at whole steps", () => {
    const ticks = timeTicks(NOON, NOON + 3600, 6);
    expect(ticks).toHaveLength(6);
    expect(ticks.every((at) => at % 600 === 0)).toBe(true);
    expect(tickText(Date.parse("2026-03-10T14:10:00") / 1000, 3600)).toBe("14:10");
    expect(tickText(Date.parse("2026-03-10T00:00:00") / 1000, 86_400)).toBe("10 Mar");
  });
});

const HISTORY: History = {
  kind: "chain",
  name: "web",
  start: "2026-03-10T12:00:00Z",
  end: "2026-03-10T12:01:00Z",
  step_s: 10,
  level: "10s",
  at: [NOON, NOON + 20],
  samples: [10, 10],
  provenance: ["measured", "simulated"],
  covered: [1, 1],
  judged: [0, 0],
  met: [0, 0],
  series: [{ figure: "p95_us", mean: [100, null], least: [90, null], most: [110, null] }],
  predictions: [],
};

describe("an answer", () => {
  it("becomes points; a figure that it does not have, none", () => {
    expect(pointsOf(HISTORY, "p95_us")).toEqual([
      { at: NOON, mean: 100, least: 90, most: 110 },
      { at: NOON + 20, mean: null, least: null, most: null },
    ]);
    expect(pointsOf(HISTORY, "delivered_mpps")).toEqual([]);
    expect(originsOf(HISTORY)).toEqual(["measured", "simulated"]);
  });

  it("has each prediction hold while its plan was in force, the one before the range from its beginning", () => {
    const made = (at: string, until: string | null, mpps: number) => ({
      at,
      until,
      plan_id: 1,
      predictor: "octans",
      predicted_mpps: mpps,
      low_mpps: null,
      high_mpps: null,
    });
    const times = ["2026-03-09T00:00:00Z", "2026-03-10T11:00:00Z", "2026-03-10T12:00:40Z"] as const;
    const predictions = [made(times[0], times[1], 1), made(times[1], times[2], 2), made(times[2], null, 3)];
    const found = predictedPoints({ ...HISTORY, predictions });
    expect(found.map(({ at, mean }) => [at - NOON, mean])).toEqual([
      [0, 2],
      [40, 2],
      [40, 3],
      [60, 3],
    ]);
    // Adjusted in second 20 by a plan that predicts nothing, which another took the place of in second 40.
    const adjusted = [made(times[1], "2026-03-10T12:00:20Z", 2), made(times[2], null, 3)];
    expect(predictedPoints({ ...HISTORY, predictions: adjusted }).map(({ at, mean }) => [at - NOON, mean])).toEqual([
      [0, 2],
      [20, 2],
      [20, null],
      [40, 3],
      [60, 3],
    ]);
  });
});

describe("whose figures a page shows", () => {
  it("are an NF's, a core's of the host, or its own", () => {
    expect(subjectOf(subjectSearch({ of: "nf-web.firewall" }), "edge-1")).toEqual({ kind: "nf", nf: "web.firewall" });
    expect(subjectOf(subjectSearch({ of: "core-3" }), "edge-1")).toEqual({ kind: "core", host: "edge-1", core: 3 });
    expect(subjectOf(subjectSearch({ of: "core-3" }), null)).toBeNull();
    expect(subjectOf(subjectSearch({}), "edge-1")).toBeNull();
    for (const of of ["core-", "core-x", "nf-", "nf-../users", "NF-web", 3]) expect(subjectSearch({ of })).toEqual({});
  });

  it("are asked of the API and of the command by their parts", () => {
    expect(partsOf({ kind: "core", host: "edge-1", core: 3 })).toEqual(["hosts", "edge-1", "cores", 3]);
    const [from, to] = ["2026-03-10T11:00:00.000Z", "2026-03-10T12:00:00.000Z"];
    expect(commandOf({ kind: "nf", nf: "web.nat" }, from, to).text).toBe(
      `sextant history nf web.nat --from ${from} --to ${to}`,
    );
  });

  it("are one chart of a core, and of an NF two: what it received, and how busy it was", () => {
    const series = (figure: string, mean: number) => ({
      figure,
      mean: [mean, mean],
      least: [mean, mean],
      most: [mean, mean],
    });
    const history = {
      ...HISTORY,
      series: [series("busy_percent", 40), series("rx_mpps", 2), series("cpu_percent", 100)],
    };
    const [core, ...rest] = chartsOf({ kind: "core", host: "edge-1", core: 3 }, history);
    expect([core?.label, core?.lines[0]?.points[0]?.mean, rest.length]).toEqual(["use of core 3 of edge-1", 40, 0]);
    const nf = chartsOf({ kind: "nf", nf: "web.nat" }, history);
    expect(nf.map(({ lines }) => lines.map(({ name }) => name))).toEqual([["received, Mpps", "dropped"], ["CPU"]]);
  });
});

describe("the scrubber", () => {
  it("shows the time up to now, and around a moment further back", () => {
    const now = NOON * 1000;
    expect(windowOf(now - 60_000, now, "1h")).toEqual({ start: NOON - 3600, end: NOON, stepS: 10 });
    const past = windowOf(now - 86_400_000, now, "1h");
    expect(past).toEqual({ start: NOON - 86_400 - 1800, end: NOON - 86_400 + 1800, stepS: 10 });
    expect(placed(NOON - 86_400 + 4, past)).toBe(NOON - 86_400);
  });

  it("jumps from mark to mark", () => {
    expect(neighbour([50, 10, 30], 30, 1)).toBe(50);
    expect(neighbour([50, 10, 30], 30, -1)).toBe(10);
    expect(neighbour([50, 10, 30], 50, 1)).toBeNull();
  });

  it("has marks of its window alone", () => {
    const mark = (id: number, at: string) => ({
      kind: "operation" as const,
      id,
      at,
      until: null,
      plan_id: 1,
      state: "COMPLETED",
      title: "",
      hosts: [],
      chains: [],
    });
    const window = { start: NOON, end: NOON + 100, stepS: 10 };
    const found = marksWithin([mark(1, "2026-03-10T11:59:00Z"), mark(2, "2026-03-10T12:00:25Z")], window);
    expect(found.map(({ mark: { id }, place }) => [id, place])).toEqual([[2, 0.25]]);
  });
});

const PAST: PastFleet = {
  at: "2026-03-09T14:10:00Z",
  hops: [],
  step_s: 10,
  level: "10s",
  hosts: [
    {
      host_id: "edge-1",
      provenance: "simulated",
      throughput_mpps: 0.5,
      cores: [{ core: 1, busy_percent: 100 }],
      nfs: ["web.router", "mail.nat"].map((nf_id) => ({
        nf_id,
        core: 1,
        rx_mpps: 1,
        tx_mpps: 0.5,
        drop_mpps: 0.5,
        cpu_percent: 50,
        utilisation_percent: nf_id === "web.router" ? 80 : null,
      })),
    },
    { host_id: "gone", provenance: "measured", throughput_mpps: null, cores: [], nfs: [] },
  ],
  chains: [],
};

describe("the fleet at a moment", () => {
  const now: LiveState = {
    ...EMPTY,
    ready: true,
    hosts: new Map([
      ["edge-1", host("edge-1", 1, 2, 2, { throughput_mpps: 9 })],
      ["edge-2", host("edge-2", 1, 2, 2, { throughput_mpps: 9 })],
    ]),
    nfs: new Map([
      ["edge-1", new Map()],
      ["edge-2", new Map([["web.router", nf("web.router", "edge-2", 0)]])],
    ]),
  };
  const then = pastState(PAST, now);

  it("has what stood there then, and nothing of now but what hosts are made of", () => {
    const edge = then.hosts.get("edge-1");
    expect(edge).toMatchObject({
      status: "up",
      throughput_mpps: 0.5,
      provenance: "simulated",
      applied_generation: NOT_KEPT,
      cores: [{ core: 1, busy_percent: 100 }],
    });
    const router = then.nfs.get("edge-1")?.get("web.router");
    expect(router).toMatchObject({ nf_type: "router", seat: { host: "edge-1", core: 1, slot: 0 } });
    expect(router?.sample).toMatchObject({ utilisation_percent: 80, drop_mpps: 0.5 });
    expect(then.nfs.get("edge-1")?.get("mail.nat")).toMatchObject({ nf_type: "nat", seat: { slot: 1 } });
    expect(then.nfs.get("edge-1")?.get("mail.nat")?.sample).not.toHaveProperty("utilisation_percent");
  });

  it("draws no core as reserved that was reserved later", () => {
    const since = (at: string) => ({ core: 1, by: "ada", reason: "tests", since: at });
    const reserved = (at: string) => {
      const edge = now.hosts.get("edge-1");
      if (!edge?.inventory) throw new Error("edge-1 has an inventory");
      const cores = edge.inventory.cores.map((core) =>
        core.id === 1 ? { ...core, reserved_for: "operator" as const } : core,
      );
      const changed = { ...edge, inventory: { ...edge.inventory, cores }, reserved_cores: [since(at)] };
      const found = pastState(PAST, { ...now, hosts: new Map([["edge-1", changed]]) }).hosts.get("edge-1");
      return [found?.inventory?.cores.find(({ id }) => id === 1)?.reserved_for, found?.reserved_cores.length];
    };
    expect(reserved("2999-01-01T00:00:00Z")).toEqual([null, 0]);
    expect(reserved("2001-01-01T00:00:00Z")).toEqual(["operator", 1]);
  });

  it("draws cores with the slots of their agent where an operator set others later", () => {
    const slots = (at: string) => {
      const edge = now.hosts.get("edge-1");
      if (!edge?.inventory) throw new Error("edge-1 has an inventory");
      const cores = edge.inventory.cores.map((core) => ({ ...core, slots: 4, agent_slots: 1 }));
      const core_slots = { slots: 4, by: "ada", reason: "tests", since: at, not_met: null };
      const changed = { ...edge, inventory: { ...edge.inventory, cores }, core_slots };
      const found = pastState(PAST, { ...now, hosts: new Map([["edge-1", changed]]) }).hosts.get("edge-1");
      return [found?.inventory?.cores[0]?.slots, found?.core_slots?.slots];
    };
    expect(slots("2999-01-01T00:00:00Z")).toEqual([1, undefined]);
    expect(slots("2001-01-01T00:00:00Z")).toEqual([4, 4]);
  });

  it("draws hosts that did not report as such, and names those that are gone", () => {
    expect(then.hosts.get("edge-2")).toMatchObject({ status: "unreachable", throughput_mpps: null });
    expect(then.nfs.get("edge-2")?.size).toBe(0);
    expect(goneHosts(PAST, now)).toEqual(["gone"]);
  });

  it("tells missed from not judged", () => {
    const chain = {
      chain: "web",
      host: "edge-1",
      provenance: "measured" as const,
      offered_mpps: 1,
      delivered_mpps: 1,
      drop_mpps: 0,
      p95_us: null,
    };
    expect(missedThen({ ...chain, judged: 10, met: 9 })).toBe(true);
    expect(missedThen({ ...chain, judged: 10, met: 10 })).toBe(false);
    expect(missedThen({ ...chain, judged: 0, met: 0 })).toBeNull();
  });
});

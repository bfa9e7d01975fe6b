import { describe, expect, it } from "vitest";
import { findEntries } from "@/app/find";
import { describeUnit } from "@/fleet/describe";
import { DEFAULT_LAYER, LAYERS, layerOf } from "@/fleet/layers";
import { layoutFleet } from "@/fleet/layout";
import { limitOf, limitText } from "@/fleet/limit";
import { ModelCache, modelOf } from "@/fleet/model";
import { neighbour, unitAt } from "@/fleet/navigate";
import { keyOf } from "@/fleet/paint";
import { findSeat, seatKey } from "@/fleet/seat";
import { cachedShape } from "@/fleet/shape";
import { matchingHosts, totalsOf } from "@/fleet/use-fleet";
import { unblamedText, violations } from "@/fleet/violations";
import { nodeBlocks } from "@/hosts/blocks";
import { EMPTY, reduce } from "@/live/state";
import { fleetSearch } from "@/pages/fleet";
import { numbered, otherWorkOf, pictureOf } from "@/plans/picture";
import { AT, chain, host, nf, nfSample, shapes, snapshot } from "./fixtures";

const load = layerOf("cpu");
const NONE: ReadonlySet<string> = new Set();
const byId = (...nfs: ReturnType<typeof nf>[]) => new Map(nfs.map((each) => [each.nf_id, each]));

describe("model of a host", () => {
  const seat = nf("web.router", "edge-1", 1).seat;
  const nfs = byId(
    nf("web.router", "edge-1", 1, { sample: nfSample("web.router", { cpu_percent: 60 }) }),
    nf("web.fw", "edge-1", 1, { seat: { ...seat, slot: 3 } }),
  );

  it("puts every NF on its slot; what was not measured has no step", () => {
    const model = modelOf(host("edge-1", 1, 2, 8), nfs, load, NONE, "labelled");
    expect(model.units).toHaveLength(16);
    expect(model.units[8]).toMatchObject({ kind: "used", value: 60, step: 5 }); // 60 x 9 / 100 = 5.4
    expect(model.units[11]).toMatchObject({ kind: "used", value: null, step: -1 });
    expect(model.units[0]?.kind).toBe("free");
    expect(model.cores[0]?.[1]).toMatchObject({ used: 2 });
    expect(model.inUse).toBe(2);
  });

  it("has no CPU time of an NF in the kernel, not even that of the core on which it has its seat", () => {
    const { cpu_percent: _, ...uncounted } = nfSample("web.wall");
    const walls = byId(nf("web.wall", "edge-1", 1, { sample: uncounted }));
    const busy = host("edge-1", 1, 2, 1, { cores: [{ core: 1, busy_percent: 70 }] });
    expect(modelOf(busy, walls, load, NONE, "labelled").units[1]).toMatchObject({
      kind: "used",
      value: null,
      step: -1,
    });
    const silent = byId(nf("web.router", "edge-1", 1));
    expect(modelOf(busy, silent, load, NONE, "labelled").units[1]).toMatchObject({ value: 70 });
  });

  it("draws who stands beyond the slots that an operator has left, as the map does, and no free cell there", () => {
    const view = host("edge-1", 1, 2, 1);
    const model = modelOf(view, nfs, load, NONE, "labelled");
    // Core 0 has one cell; core 1 four, of which slots 0 and 3 are used and 1 and 2 are not there any more.
    expect(model.units.map(({ kind }) => kind)).toEqual(["free", "used", "reserved", "reserved", "used"]);
    expect(cachedShape(view, nfs.values()).nodes[0]?.cores.map(({ slots }) => slots)).toEqual([1, 4]);
    expect(cachedShape(view).nodes[0]?.cores.map(({ slots }) => slots)).toEqual([1, 1]);
    const gauges = { llcRows: 0, llcNumbers: false, memory: false, link: false };
    const [node] = nodeBlocks(view, () => gauges, nfs.values());
    expect(node?.blocks.map(({ threads }) => threads[0]?.slots)).toEqual([1, 4]);
  });

  it("sorts highest first and free last in mass", () => {
    const busy = byId(
      nf("a.x", "edge-1", 0, { sample: nfSample("a.x", { cpu_percent: 10 }) }),
      nf("a.y", "edge-1", 2, { sample: nfSample("a.y", { cpu_percent: 90 }) }),
    );
    const model = modelOf(host("edge-1", 1, 4), busy, load, NONE, "mass");
    expect(model.units.map((unit) => unit.core.id)).toEqual([2, 0, 1, 3]);
  });

  it("is kept for as long as nothing it is made of changes", () => {
    const cache = new ModelCache();
    const view = host("edge-1");
    const first = cache.get(view, nfs, load, NONE, "labelled");
    expect(cache.get(view, nfs, load, NONE, "labelled")).toBe(first);
    expect(cache.get({ ...view }, nfs, load, NONE, "labelled")).not.toBe(first);
  });

  it("changes a cell's key only with what is visible at that level", () => {
    const [unit] = modelOf(
      host("edge-1"),
      byId(nf("a.x", "edge-1", 0, { sample: nfSample("a.x") })),
      load,
      NONE,
      "labelled",
    ).units;
    if (!unit?.nf) throw new Error("core 0 is in use");
    const other = { ...unit, value: 51, nf: { ...unit.nf, sample: nfSample("a.x", { tx_mpps: 2 }) } };
    expect(keyOf(other, "up", load, "compact")).toBe(keyOf(unit, "up", load, "compact"));
    expect(keyOf(other, "up", load, "labelled")).not.toBe(keyOf(unit, "up", load, "labelled"));
    expect(keyOf(unit, "stale", load, "compact")).not.toBe(keyOf(unit, "up", load, "compact"));
  });

  it("says everything of a cell in words", () => {
    const model = modelOf(host("edge-1", 1, 2, 8), nfs, load, NONE, "labelled");
    const unit = model.units[8];
    if (!unit) throw new Error("core 1 has slots");
    expect(describeUnit(unit, model, Date.parse(AT) + 60_000)).toEqual([
      "edge-1 · node 0 · core 1 · slot 1 of 8",
      "router, NF 1 of web",
      "● utilisation not reported",
      "● 1.0 Mpps · drops 0 % · CPU 60 %",
      "here since 60 s ago, plan 1",
    ]);
  });
});

describe("moving on the map", () => {
  const layout = layoutFleet(shapes(2, 2, 8), { width: 900, height: 700 }); // one host below the other
  // 8 cores a node: two rows of 4; units 0-7 are node 0 of host 0, 8-15 node 1.
  it("goes by core, node and host, and stays at the ends", () => {
    expect(neighbour(layout, 0, "right")).toBe(1);
    expect(neighbour(layout, 0, "left")).toBe(0);
    expect(neighbour(layout, 1, "down")).toBe(5);
    expect(neighbour(layout, 5, "up")).toBe(1);
    expect(neighbour(layout, 5, "down")).toBe(17); // host 1, node 0, second column
    expect(neighbour(layout, 2, "node-next")).toBe(8);
    expect(neighbour(layout, 2, "host-next")).toBe(16);
    expect(neighbour(layout, 31, "host-next")).toBe(31);
  });

  it("finds the cell under a point, and none between hosts", () => {
    const unit = layout.units[5];
    expect(unit && unitAt(layout, unit.x + 3, unit.y + 3)).toBe(5);
    expect(unitAt(layout, 5, 5)).toBeNull();
  });

  it("finds a seat by its name in the address", () => {
    const view = host("edge-1", 1, 2, 8);
    const model = modelOf(view, byId(), load, NONE, "labelled");
    const own = layoutFleet([cachedShape(view)], { width: 900, height: 500 });
    expect(findSeat([model], own.hosts, "edge-1/1/2")?.index).toBe(10);
    expect(findSeat([model], own.hosts, "edge-1/9/0")).toBeNull();
    const unit = model.units[10];
    expect(unit && seatKey(unit)).toBe("edge-1/1/2");
  });
});

describe("violations", () => {
  const at = (id: string, position: number, figures: Parameters<typeof nfSample>[1] = {}) =>
    nf(id, "h", position, { position, sample: nfSample(id, figures) });
  const slow = chain("w", { throughput_slo: "violated" });
  const late = chain("w", { latency_slo: "violated" });

  it("blames the NF that loses most, whatever the others' CPU says: one that polls is always busy", () => {
    const busy = at("w.a", 0, { cpu_percent: 100, rx_mpps: 6.6 });
    const losing = at("w.b", 1, { cpu_percent: 100, rx_mpps: 4.5, drop_mpps: 2.1 });
    const limit = limitOf(slow, [busy, losing]);
    expect(limit).toMatchObject({ nf: { nf_id: "w.b" }, by: "drops" });
    expect(limit && limitText(limit)).toBe("drops 2.1 of the 6.6 Mpps that reach it (32 %)");
    expect(limitOf(slow, [busy])).toBeNull();
    expect(limitOf(slow, [nf("w.c", "h", 2)])).toBeNull();
    // 0.0005 of 1 Mpps: a burst.
    expect(limitOf(slow, [at("w.d", 0, { drop_mpps: 0.0005 })])).toBeNull();
  });

  it("blames the last NF whose ring is full where none drops: those before it only wait for it", () => {
    const held = at("w.a", 0, { ring_used_percent: 97 });
    const slowest = at("w.b", 1, { ring_used_percent: 95 });
    const after = at("w.c", 2, { ring_used_percent: 3 });
    expect(limitOf(slow, [slowest, after, held])).toMatchObject({ nf: { nf_id: "w.b" }, by: "ring" });
  });

  it("blames the longest queue for lateness alone, and nobody where none waits", () => {
    const [short, long] = [at("w.a", 0, { ring_used_percent: 4 }), at("w.b", 1, { ring_used_percent: 30 })];
    expect(limitOf(late, [short, long])).toMatchObject({ nf: { nf_id: "w.b" }, by: "queue" });
    expect(limitOf(slow, [short, long])).toBeNull();
    expect(limitOf(late, [at("w.a", 0, { ring_used_percent: 0.2 })])).toBeNull();
    expect(unblamedText(chain("w", { latency_slo: "violated" }), [short])).toContain(
      "None of its NFs drops packets or has packets waiting",
    );
  });

  it("blames no NF where less is offered than asked for and nothing is lost", () => {
    const sample = {
      chain: "w",
      offered_mpps: 0.1,
      delivered_mpps: 0.1,
      drop_mpps: 0,
      filtered_mpps: 0,
      paused: false,
    };
    const latencies = { p50_us: null, p95_us: null, p99_us: null };
    const busy = nf("w.a", "h", 0, { sample: nfSample("w.a", { drop_mpps: 0.1 }) });
    const starved = chain("w", { throughput_slo: "violated", sample: { ...sample, ...latencies } });
    expect(violations([starved], () => [busy])[0]?.limit).toBeNull();
    const losing = chain("w", { throughput_slo: "violated", sample: { ...sample, ...latencies, drop_mpps: 0.1 } });
    expect(violations([losing], () => [busy])[0]?.limit?.nf.nf_id).toBe("w.a");
  });

  it("puts the most valuable shortfall first", () => {
    const missing = (name: string, value: number) => {
      const base = chain(name, { throughput_slo: "violated" });
      return { ...base, spec: { ...base.spec, value } };
    };
    const found = violations([missing("cheap", 1), missing("dear", 5), chain("fine")], () => []);
    expect(found.map(({ chain: each }) => each.spec.name)).toEqual(["dear", "cheap"]);
  });
});

describe("the fleet in words", () => {
  const state = reduce(EMPTY, [
    snapshot({
      hosts: [
        host("edge-10", 1, 2, 1, { throughput_mpps: 1.5 }),
        host("edge-2", 1, 2, 1, { throughput_mpps: 2, provenance: "simulated" }),
        host("edge-3", 1, 2, 1, { throughput_mpps: 9, status: "stale" }),
      ],
      nfs: [nf("web.router", "edge-10", 1)],
      chains: [chain("web")],
    }),
  ]);

  it("sums each mark on its own and leaves silent hosts out", () => {
    const models = matchingHosts(state, "").map((view) =>
      modelOf(view, state.nfs.get(view.host_id), load, NONE, "labelled"),
    );
    expect(totalsOf(state, models)).toMatchObject({
      hosts: 3,
      stale: 1,
      inUse: 1,
      mpps: [
        { provenance: "simulated", value: 2 },
        { provenance: "measured", value: 1.5 },
      ],
    });
  });

  it("filters by host, chain or NF, and sorts numbers in names by value", () => {
    expect(matchingHosts(state, "").map((view) => view.host_id)).toEqual(["edge-2", "edge-3", "edge-10"]);
    expect(matchingHosts(state, "web").map((view) => view.host_id)).toEqual(["edge-10"]);
    expect(matchingHosts(state, "nothing")).toEqual([]);
  });

  it("finds an NF by part of its name and leads to its core", () => {
    expect(findEntries("web.r", state)[0]).toMatchObject({ kind: "NF", href: "/?pin=edge-10%2F1%2F0" });
    expect(findEntries("edge-3", state)[0]).toMatchObject({ kind: "host" });
    expect(findEntries("zzz", state)).toEqual([]);
  });

  it("offers every layer under its own name and with its own keys", () => {
    for (const { key, title, keys } of LAYERS) {
      const [entry] = findEntries(`show ${title}`, state);
      expect(entry?.note).toBe(`fleet, key ${keys.join(" or ").toUpperCase().replace(" OR ", " or ")}`);
      const search = Object.fromEntries(new URL(entry?.href ?? "", "http://h").searchParams);
      expect(fleetSearch(search).layer ?? DEFAULT_LAYER).toBe(key);
    }
  });

  it("finds settings and what can be done by the words that operators use", () => {
    const first = (query: string) => findEntries(query, state, [], "admin")[0];
    expect(first("policy")).toMatchObject({ text: "Automation" });
    expect(first("profile")).toMatchObject({ text: "Profiling" });
    expect(first("theme")).toMatchObject({ does: "switch-theme" });
    const then = new URL(first("history")?.href ?? "", "http://h").searchParams;
    expect(fleetSearch(Object.fromEntries(then)).at).toMatch(/^\d{4}-/);
  });

  it("offers what can be done to a host or an NF behind its verb, to those who may", () => {
    expect(findEntries("drain edge-3", state, [], "admin")[0]).toMatchObject({ href: "/hosts/edge-3" });
    const [fleet, host] = findEntries("re-pl", state, [], "admin");
    expect([fleet?.text, host?.text]).toEqual(["Re-place fleet", expect.stringMatching(/^Re-place edge-/)]);
    expect(findEntries("migrate web.r", state, [], "admin")[0]).toMatchObject({
      text: "Migrate web.router",
      href: "/hosts/edge-10?move=web.router",
    });
    expect(findEntries("drain", state, [], "viewer")).toEqual([]);
  });

  it("leads to the reference of the API, which is no page of the application", () => {
    expect(findEntries("api", state)[0]).toMatchObject({ href: "/docs", outside: true });
  });
});

describe("before and after", () => {
  it("marks what leaves and what arrives with the number of its change", () => {
    const view = host("edge-1", 1, 2);
    const seat = (core: number) => nf("w.a", "edge-1", core).seat;
    const placed = (core: number) => [{ nf_id: "w.a", chain: "w", position: 0, nf_type: "router", seat: seat(core) }];
    const change = {
      kind: "move" as const,
      nf_id: "w.a",
      chain: "w",
      nf_type: "router",
      source: seat(0),
      target: seat(1),
      gain_mpps: null,
      reason: "",
    };
    const before = pictureOf(view, placed(0), numbered([change]), "before", otherWorkOf([]))[0]?.cores;
    const after = pictureOf(view, placed(1), numbered([change]), "after", otherWorkOf([]))[0]?.cores;
    expect(before?.[0]?.slots[0]).toMatchObject({ moves: true, change: 1 });
    expect(before?.[1]?.slots[0]).toMatchObject({ nf: null, change: null });
    expect(after?.[1]?.slots[0]).toMatchObject({ moves: true, change: 1 });
  });
});

import { describe, expect, it } from "vitest";
import type { HostView, NfView, NodeSample } from "@/api/types";
import { describeUnit } from "@/fleet/describe";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { whyMissing } from "@/fleet/why-missing";
import { nodeBlocks } from "@/hosts/blocks";
import { NO_LETTERS } from "@/hosts/letters";
import { fillings, isOpen, llcShares, shareText, waysOf, withoutSamples } from "@/hosts/llc";
import { memorySplit } from "@/hosts/memory-split";
import { memoryText } from "@/hosts/picture-gauges";
import { layoutPicture } from "@/hosts/picture-layout";
import { twinOf } from "@/hosts/simulated-line";
import { counterCauses } from "@/interference/counter-causes";
import {
  linkText,
  linkWays,
  memoryOf,
  missPercent,
  occupancyOf,
  remotePercent,
  whyNoCounters,
} from "@/interference/counters";
import { EMPTY, reduce } from "@/live/state";
import { AT, batch, host, nf, nfSample, seat, snapshot } from "./fixtures";

const NONE: ReadonlySet<string> = new Set();
const GB = 1e9;
const MB = 2 ** 20;

const node = (id: number, change: Partial<NodeSample> = {}): NodeSample => ({
  node: id,
  memory_bytes_per_s: 40 * GB,
  memory_load_percent: 60,
  link_load_percent: 20,
  ...change,
});

/** An NF on core `core` of a host with two cores a node. */
function counted(
  id: string,
  core: number,
  of: Partial<NonNullable<NfView["sample"]>>,
  ways: number | null = null,
): NfView {
  const at = { ...seat("h", core, Math.floor(core / 2)), llc_ways: ways };
  return nf(id, "h", core, { seat: at, sample: nfSample(id, { core, ...of }) });
}

const near = (local: number, remote = 0) => ({
  memory_local_bytes_per_s: local * GB,
  memory_remote_bytes_per_s: remote * GB,
});

const twoNodes = host("h", 2, 2, 1, { provenance: "simulated", nodes: [node(0), node(1)] });

describe("an NF's counters", () => {
  it("give the share of misses, memory of any node and the share that is remote", () => {
    const sample = nfSample("a.x", { llc_references_per_s: 50e6, llc_misses_per_s: 19e6, ...near(3, 5) });
    expect(missPercent(sample)).toBeCloseTo(38); // 19 of 50
    expect(memoryOf(sample)).toBe(8 * GB);
    expect(remotePercent(sample)).toBeCloseTo(62.5); // 5 of 8
    expect(occupancyOf(nfSample("a.x", { llc_occupancy_bytes: [3 * MB, 0, MB] }))).toBe(4 * MB);
  });

  it("are not zero where they are not reported", () => {
    const sample = nfSample("a.x");
    expect([missPercent(sample), memoryOf(sample), remotePercent(sample), occupancyOf(sample)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("have no share of nothing, and noise does not push one above all", () => {
    expect(missPercent(nfSample("a.x", { llc_references_per_s: 0, llc_misses_per_s: 0 }))).toBeNull();
    expect(remotePercent(nfSample("a.x", near(0)))).toBeNull();
    expect(missPercent(nfSample("a.x", { llc_references_per_s: 10, llc_misses_per_s: 11 }))).toBe(100);
  });
});

describe("memory bandwidth of a node", () => {
  it("is split by chain, with what the other of two nodes takes here, and the rest", () => {
    const nfs = [counted("a.x", 0, near(10)), counted("b.x", 1, near(6, 3)), counted("c.x", 2, near(4, 8))];
    const split = memorySplit(
      twoNodes,
      0,
      nfs,
      new Map([
        ["c", "A"],
        ["a", "B"],
      ]),
    );
    expect(split?.parts).toEqual([
      { chain: "c", amount: 8 * GB }, // of node 1, remote: here
      { chain: "a", amount: 10 * GB },
      { chain: null, amount: 6 * GB }, // b has no letter; its 3 remote ones are of node 1
    ]);
    expect(split?.rest).toBe(16 * GB); // 40 - 8 - 10 - 6
    expect(split?.load).toBe(60);
  });

  it("does not guess which of several nodes was the remote one", () => {
    const four = host("h", 4, 2, 1, { nodes: [node(0)] });
    const split = memorySplit(four, 0, [counted("a.x", 0, near(10)), counted("c.x", 2, near(4, 8))], NO_LETTERS);
    expect(split?.parts).toEqual([{ chain: null, amount: 10 * GB }]);
    expect(split?.rest).toBe(30 * GB);
  });

  it("never has parts that exceed the whole: they are counted apart, with noise", () => {
    const split = memorySplit(twoNodes, 0, [counted("a.x", 0, near(30)), counted("b.x", 1, near(20))], NO_LETTERS);
    expect(split?.parts.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(40 * GB); // 50 x 40/50
    expect(split?.rest).toBe(0);
  });

  it("is not reported by a host without counters, and says so of a peak that is not known", () => {
    expect(memorySplit(host("h", 2), 0, [], NO_LETTERS)).toBeNull();
    const split = { total: 41.3 * GB, load: null, parts: [], rest: 0 };
    expect(memoryText({ ...split, load: 63.2 }, "present", "simulated")).toBe("◇ 41.3 GB/s, 63 % of its peak");
    expect(memoryText(split, "last-known", "simulated")).toBe("last known 41.3 GB/s, its peak is not reported");
    expect(memoryText(split, "none", "simulated")).toBe("no figures");
  });
});

describe("the last-level cache by chain", () => {
  it("adds its NFs way by way, with the ways it was given, on this node alone", () => {
    const nfs = [
      counted("a.x", 0, { llc_occupancy_bytes: [2 * MB, MB, 0] }, 2),
      counted("a.y", 1, { llc_occupancy_bytes: [0, MB, MB] }),
      counted("a.z", 2, { llc_occupancy_bytes: [MB, MB, MB] }),
    ];
    const [share, ...others] = llcShares(nfs, 0, NO_LETTERS);
    expect(share).toEqual({
      chain: "a",
      ways: 2,
      bytes: 5 * MB,
      held: [
        { bytes: [2 * MB, MB, 0], mask: null },
        { bytes: [0, MB, MB], mask: null },
      ],
    });
    expect(others).toEqual([]);
    expect(share && shareText(share)).toBe("5.0 MB, 2 ways");
    expect(waysOf(host("h"), 0, share ? [share] : [])).toBe(3); // as reported: this cache cannot be divided
  });

  it("knows only a sum where the host reports one figure, and nothing once its figures are not known", () => {
    const nfs = [counted("a.x", 0, { llc_occupancy_bytes: [6 * MB] }, 1)];
    expect(llcShares(nfs, 0, NO_LETTERS)).toEqual([
      { chain: "a", ways: 1, bytes: 6 * MB, held: [{ bytes: [6 * MB], mask: null }] },
    ]);
    expect(llcShares(withoutSamples(nfs), 0, NO_LETTERS).map(shareText)).toEqual(["1 way"]);
  });
});

describe("how full ways are", () => {
  const shareOf = (nfs: readonly NfView[]) => {
    const [share] = llcShares(nfs, 0, NO_LETTERS);
    if (!share) throw new Error("the chain has no share");
    return share;
  };
  const openWays = (share: ReturnType<typeof shareOf>) => [0, 1, 2, 3, 31].filter((way) => isOpen(share, way, 32));

  it("is what each NF holds, evenly in the ways that it may fill, where only sums are reported", () => {
    const share = shareOf([
      counted("a.x", 0, { llc_occupancy_bytes: [2 * MB], llc_way_mask: 0b0011 }),
      counted("a.y", 1, { llc_occupancy_bytes: [MB], llc_way_mask: 0b0110 }),
    ]);
    // Ways of 2 MB: x holds 1 MB of ways 0 and 1, y half a MB of ways 1 and 2.
    expect(fillings(share, 4, 8 * MB)).toEqual([0.5, 0.75, 0.25, 0]);
    expect(openWays(share)).toEqual([0, 1, 2]);
  });

  it("is as reported where it is reported by way, never above full", () => {
    const share = shareOf([
      counted("a.x", 0, { llc_occupancy_bytes: [3 * MB, 0, MB, 0] }),
      counted("a.y", 1, { llc_occupancy_bytes: [0, 0, 0, MB] }),
    ]);
    expect(fillings(share, 4, 8 * MB)).toEqual([1, 0, 0.5, 0.5]); // 3 MB of 2: noise
    expect(openWays(share)).toEqual([]); // nobody is kept out of any
  });

  it("frames no way where a mask keeps nobody out", () => {
    const share = shareOf([counted("a.x", 0, { llc_occupancy_bytes: [MB], llc_way_mask: 0b1111 })]);
    expect([0, 1, 2, 3].filter((way) => isOpen(share, way, 4))).toEqual([]);
  });

  it("knows the highest of 32 ways", () => {
    const share = shareOf([counted("a.x", 0, { llc_occupancy_bytes: [MB], llc_way_mask: 2 ** 31 })]);
    expect(openWays(share)).toEqual([31]);
    expect(fillings(share, 32, 32 * MB)[31]).toBe(1);
  });
});

describe("layers of counters", () => {
  const nfs = new Map([["a.x", counted("a.x", 0, { llc_references_per_s: 50, llc_misses_per_s: 19 })]]);
  const shown = (key: "llc" | "memory" | "link", view: HostView, of: ReadonlyMap<string, NfView> = nfs) =>
    modelOf(view, of, layerOf(key), NONE, "labelled").units[0]?.value;

  it("show misses of the NF, and memory and link of the node alone: no core has what is its node's", () => {
    expect(shown("llc", twoNodes)).toBe(38);
    for (const [key, value] of [
      ["memory", 60],
      ["link", 20],
    ] as const) {
      const model = modelOf(twoNodes, nfs, layerOf(key), NONE, "labelled");
      expect(model.units.map((unit) => unit.step)).toEqual(model.units.map(() => -1));
      expect(model.nodes[0]).toMatchObject({ value });
      expect(model.nodes[0]?.step).toBeGreaterThan(0);
    }
    expect(modelOf(twoNodes, nfs, layerOf("llc"), NONE, "labelled").nodes[0]).toEqual({ value: null, step: -1 });
  });

  it("show nothing, which is not zero, of a host without, and say why", () => {
    const bare = new Map([["a.x", nf("a.x", "h", 0, { sample: nfSample("a.x") })]]);
    const view = host("h");
    for (const key of ["llc", "memory", "link"] as const) {
      const model = modelOf(view, bare, layerOf(key), NONE, "labelled");
      expect(model.units[0]).toMatchObject({ value: null, step: -1 });
      expect(whyMissing(layerOf(key), [model])).toBe("h does not report it: its driver, testbed, does not read them");
    }
    expect(whyMissing(layerOf("cpu"), [modelOf(view, bare, layerOf("cpu"), NONE, "labelled")])).toBeNull();
    const hostModel = modelOf(twoNodes, nfs, layerOf("link"), NONE, "labelled");
    expect(whyMissing(layerOf("link"), [hostModel])).toBeNull();
  });

  it("give the reason in the host's own words", () => {
    const reason = "counters of other processes are not readable";
    const view = host("h");
    const capabilities = [{ name: "perf-counters", available: false, reason }];
    const inventory = view.inventory ? { ...view.inventory, capabilities } : null;
    expect(whyNoCounters({ ...view, inventory })).toBe(reason);
  });

  it("say on hover what is counted, and nothing where nothing is", () => {
    const sample = { llc_references_per_s: 50, llc_misses_per_s: 19, ...near(3, 5) };
    const model = modelOf(twoNodes, new Map([["a.x", counted("a.x", 0, sample)]]), layerOf("llc"), NONE, "labelled");
    const [unit] = model.units;
    const lines = unit ? describeUnit(unit, model, Date.parse(AT)) : [];
    expect(lines).toContain("◇ LLC misses 38 % · memory 8.0 GB/s · 63 % of it remote");
    expect(lines).toContain("◇ node 0: memory 60 % · link 20 %");
  });

  it("are shown for both directions of a link where its host reports both", () => {
    const sample = node(0, { link_load_percent: 20, link_in_load_percent: 20, link_out_load_percent: 3 });
    expect(linkText(sample)).toBe("in 20 %, out 3.0 %");
    expect(linkWays(sample)).toEqual({ in: 20, out: 3 });
    expect(linkText(node(0))).toBe("20 %");
    expect(linkWays(node(0))).toBeNull();
    expect(linkWays(null)).toBeNull();
  });
});

describe("why a chain is slow, by counters", () => {
  it("names what is full first, then what waits for it", () => {
    const view = { ...twoNodes, nodes: [node(0, { memory_load_percent: 97 }), node(1, { link_load_percent: 81 })] };
    const nfs = [
      counted("a.router", 0, { llc_references_per_s: 50e6, llc_misses_per_s: 19e6, ...near(5) }),
      counted("a.nids", 2, { llc_references_per_s: 40e6, llc_misses_per_s: 2e6, ...near(3, 5) }),
    ];
    expect(counterCauses(view, nfs)).toEqual([
      "memory of node 0 at 97 %",
      "link of node 1 at 81 %",
      "63 % of nids's memory traffic crosses the link", // 5 of 8
      "router misses the cache in 38 % of 50.0 M references a second",
    ]); // nids misses 2 of 40: 5 %, not worth a word
  });

  it("does not name what is too little a packet to slow it: under a quarter of a line", () => {
    const little = { llc_references_per_s: 1e6, llc_misses_per_s: 0.2e6, ...near(0, 0.015) }; // at 1 Mpps: 0.2, 15 B
    const enough = { llc_references_per_s: 1e6, llc_misses_per_s: 0.3e6, ...near(0, 0.016) };
    expect(counterCauses(twoNodes, [counted("a.x", 0, little)])).toEqual([]);
    expect(counterCauses(twoNodes, [counted("a.x", 0, enough)])).toHaveLength(2);
    expect(counterCauses(twoNodes, [counted("a.x", 0, { ...enough, rx_mpps: 0 })])).toEqual([]);
  });

  it("says that nothing stands out, and keeps silent of a host without counters", () => {
    expect(counterCauses(twoNodes, [counted("a.x", 0, { llc_references_per_s: 10, llc_misses_per_s: 0 })])).toEqual([]);
    expect(counterCauses(host("h"), [nf("a.x", "h", 0, { sample: nfSample("a.x") })])).toBeNull();
    expect(counterCauses(twoNodes, [nf("a.x", "other", 0, { sample: nfSample("a.x") })])).toBeNull();
  });
});

describe("memory and links in the live state", () => {
  it("come with a batch, and go where a batch has none", () => {
    const event = { event: "telemetry" as const, batch: batch("h", 1, { nodes: [node(0)] }) };
    const first = reduce(EMPTY, [snapshot({ hosts: [host("h")] }), event]);
    expect(first.hosts.get("h")?.nodes).toEqual([node(0)]);
    // A host without counters leaves the field out of its JSON.
    const { nodes: _, ...bare } = batch("h", 2);
    const second = reduce(first, [{ event: "telemetry", batch: bare as ReturnType<typeof batch> }]);
    expect(second.hosts.get("h")?.nodes).toEqual([]);
  });
});

describe("room for gauges", () => {
  const heightOf = (link: boolean, tracks: number) => {
    const gauges = { llcRows: 1, llcNumbers: true, memory: true, link };
    return layoutPicture(
      nodeBlocks(host("h", 2, 8), () => gauges),
      1100,
      tracks,
    ).nodes[0]?.gauges.h;
  };

  it("has a bar of memory, a row a chain and the numbers of ways; the link's bar only where it is not between nodes", () => {
    expect(heightOf(false, 0)).toBe(68 + 41 + 18 + 12);
    expect(heightOf(true, 0)).toBe(68 + 41 + 33 + 18 + 12);
    expect(heightOf(true, 1)).toBe(68 + 41 + 18 + 12);
  });
});

it("a simulated host is the twin of a model without its remark", () => {
  const view = host("h");
  const inventory = view.inventory
    ? { ...view.inventory, host_model: "xeon-e5-2650-v4 (simulated), 2 x 12 cores" }
    : null;
  expect(twinOf({ ...view, inventory })).toBe("xeon-e5-2650-v4, 2 x 12 cores");
});

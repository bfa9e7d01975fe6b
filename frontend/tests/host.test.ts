import { describe, expect, it } from "vitest";
import type { Core, HostView } from "@/api/types";
import type { Box } from "@/fleet/boxes";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { blocksOf, type NodeGauges, nodeBlocks } from "@/hosts/blocks";
import { cellAppearance } from "@/hosts/cell-appearance";
import { pathText } from "@/hosts/chains-on-host";
import { coreTimeOf } from "@/hosts/core-time";
import { inLetterOrder, type Letter, lettersFor, NO_LETTERS } from "@/hosts/letters";
import { bytes, llcShares, llcText } from "@/hosts/llc";
import { layoutPicture, type PictureLayout } from "@/hosts/picture-layout";
import { crossingsOf, tracksOf } from "@/hosts/tracks";
import { chainsOn } from "@/hosts/use-host";
import { nodeTitle, silentSince } from "@/hosts/words";
import { hostSearch } from "@/pages/searches";
import { AT, chain, host, nf, nfSample, seat } from "./fixtures";

const load = layerOf("cpu");
const NONE: ReadonlySet<string> = new Set();
const BARE: NodeGauges = { llcRows: 0, llcNumbers: false, memory: false, link: false };
const letters = (of: Record<string, Letter>) => new Map(Object.entries(of));
const layoutOf = (view: HostView, width: number, tracks = 0): PictureLayout =>
  layoutPicture(
    nodeBlocks(view, () => BARE),
    width,
    tracks,
  );
const overlaps = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const within = (a: Box, b: Box) => a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;

/** 32 logical cores as 16 physical ones: core 3 and core 19 are threads of one. */
const threaded = (id: number): Core => ({
  id,
  node: 0,
  socket: 0,
  physical_core: id % 16,
  siblings: [(id + 16) % 32],
  slots: 1,
  last_choice: false,
  reserved_for: null,
});

describe("letters of chains", () => {
  const named = (name: string, value: number) => chain(name, { spec: { ...chain(name).spec, value } });

  it("go by value, then by name, to six chains at most", () => {
    const seven = ["g", "f", "e", "d", "c", "b", "a"].map((name) => named(name, name === "g" ? 9 : 1));
    const given = lettersFor(seven, NO_LETTERS);
    expect([...given]).toEqual([
      ["g", "A"],
      ["a", "B"],
      ["b", "C"],
      ["c", "D"],
      ["d", "E"],
      ["e", "F"],
    ]);
    expect(["f", "e", "g"].sort(inLetterOrder(given))).toEqual(["g", "e", "f"]);
  });

  it("stay while the page is open; one that is free goes to who has none", () => {
    const first = lettersFor([named("old", 1), named("gone", 2)], NO_LETTERS);
    expect(first.get("old")).toBe("B");
    const second = lettersFor([named("old", 1), named("new", 9)], first);
    expect([second.get("old"), second.get("new")]).toEqual(["B", "A"]);
    expect(lettersFor([named("new", 9), named("old", 1)], second)).toBe(second);
  });
});

describe("the picture's geometry", () => {
  it("sets threads of one physical core beside each other", () => {
    const blocks = blocksOf(Array.from({ length: 32 }, (_, id) => threaded(id)));
    expect(blocks).toHaveLength(16);
    expect(blocks[3]?.threads.map(({ core }) => core)).toEqual([3, 19]);
  });

  it.each([
    ["2 cores of 8 slots", host("h", 1, 2, 8), 1000, 3],
    ["2 x 16 cores", host("h", 2, 16), 1052, 6],
    ["2 x 16 cores, no chain", host("h", 2, 16), 1052, 0],
    ["2 x 16 cores on a telephone", host("h", 2, 16), 328, 6],
    ["2 cores of 8 slots on a telephone", host("h", 1, 2, 8), 328, 3],
    ["4 x 64 cores", host("h", 4, 64), 1052, 6],
    ["8 x 125 cores", host("h", 8, 125), 1052, 6],
  ])("%s: every slot once, in its node's frame, none over another, within the width", (_, view, width, tracks) => {
    const layout = layoutOf(view, width, tracks);
    const slots = (view.inventory?.cores ?? []).reduce((sum, core) => sum + (core.slots ?? 1), 0);
    expect(new Set(layout.units.map(({ core, slot }) => `${core}/${slot}`)).size).toBe(slots);
    expect(layout.width).toBeLessThanOrEqual(width);
    for (const unit of layout.units) {
      expect(within(unit, layout.nodes[unit.node]?.frame as Box)).toBe(true);
    }
    for (const node of [0, 1]) {
      const own = layout.units.filter((unit) => unit.node === node).slice(0, 40);
      for (const a of own) for (const b of own) if (a !== b) expect(overlaps(a, b)).toBe(false);
    }
    const frames = layout.nodes.flatMap(({ frame, gauges }) => [frame, gauges]);
    for (const a of frames) for (const b of frames) if (a !== b) expect(overlaps(a, b)).toBe(false);
  });

  it("widens cells into the room of their node, in a wide window and in a narrow one", () => {
    // Tracks: (1052 - 100 - 56) / 2 - 12 = 436 a node, 6 cells in a row with 5 gaps of 4: (436 - 20) / 6 = 69.3.
    // None: (668 - 24) / 2 - 12 = 310 a node, 12 cores in 3 rows of 4: (310 - 12) / 4 = 74.5.
    for (const [width, tracks, cell] of [
      [1052, 2, 69],
      [668, 2, 74],
    ] as const) {
      const layout = layoutOf(host("h", 2, 12), width, tracks);
      expect(new Set(layout.units.map(({ w }) => w))).toEqual(new Set([cell]));
    }
    // Where the words have room already nothing grows further.
    expect(layoutOf(host("h", 1, 4), 1052, 0).units[0]?.w).toBe(84);
  });

  it("leaves a corridor between the rows where all nodes stand in one line", () => {
    const layout = layoutOf(host("h", 2, 16), 1052, 6);
    const { y, tracks } = layout.corridor ?? { y: 0, tracks: 0 };
    expect(tracks).toBe(6);
    const corridor = { x: 0, y, w: 2000, h: 6 * 14 };
    expect(layout.units.some((unit) => overlaps(unit, corridor))).toBe(false);
    expect(layout.units.some((unit) => unit.y > y)).toBe(true);
  });

  it("gives up tracks rather than room: a narrow page, a thousand cores, no chain", () => {
    expect(layoutOf(host("h", 2, 16), 700, 6).corridor).toBeNull();
    expect(layoutOf(host("h", 8, 125), 1052, 6)).toMatchObject({ level: "compact", corridor: null });
    expect(layoutOf(host("h", 2, 16), 1052, 0).corridor).toBeNull();
  });
});

describe("the chains' tracks", () => {
  const view = host("h", 2, 16);
  const nfs = [
    nf("far.b", "h", 20, { position: 1, seat: seat("h", 20, 1) }),
    nf("far.a", "h", 4, { position: 0, seat: seat("h", 4, 0) }),
    nf("near.a", "h", 9, { seat: seat("h", 9, 0) }),
  ];

  it("stop at every NF in order, cross where a node is changed, and come back", () => {
    const layout = layoutOf(view, 1052, 2);
    const [near, far] = tracksOf(layout, nfs, letters({ near: "A", far: "B" }));
    expect(far?.stops.map((stop) => stop.nf.nf_id)).toEqual(["far.a", "far.b"]);
    expect(far?.crossings).toHaveLength(1);
    expect(far?.returnsFrom).toBe(far?.stops[1]?.x);
    expect(near?.crossings).toEqual([]);
    expect(near?.returnsFrom).toBeNull();
    expect(near?.y).toBeLessThan(far?.y ?? 0);
  });

  it("count a crossing for every change of node between neighbours", () => {
    expect(crossingsOf(nfs.slice(0, 2))).toBe(1);
    expect(crossingsOf([...nfs.slice(0, 2), nf("far.c", "h", 5, { position: 2, seat: seat("h", 5, 0) })])).toBe(2);
  });

  it("say in words what they draw", () => {
    const placement = nfs.slice(0, 2).map((each) => ({ ...each, nf_type: "router" }));
    const far = chain("far", { placement });
    expect(pathText(far, { host: view, nfs })).toBe("a 4 ⇉ b 20");
    const split = chain("far", { placement: [...placement, { ...placement[0], seat: seat("other", 1) } as never] });
    expect(pathText(split, { host: view, nfs })).toBe("a 4 ⇉ b 20, 1 elsewhere");
    expect(pathText(chain("none"), { host: view, nfs })).toBe("not placed");
  });
});

describe("a cell", () => {
  const view = host("h", 1, 2, 8);
  const look = (figures: "present" | "last-known" | "none", change = {}) => {
    const one = nf("web.router", "h", 1, { sample: nfSample("web.router", { cpu_percent: 60 }), ...change });
    const model = modelOf(view, new Map([[one.nf_id, one]]), load, NONE, "labelled");
    const unit = model.units.find((each) => each.nf);
    if (!unit) throw new Error("core 1 is in use");
    return cellAppearance(unit, load, letters({ web: "A" }), figures);
  };

  it("shows value, name, Mpps and the chain's letter with the NF's place", () => {
    expect(look("present")).toMatchObject({
      step: 5,
      value: "60",
      name: "router",
      second: "1.0",
      tag: "A1",
      aged: false,
    });
  });

  it("is hatched while its host is stale, and claims nothing once nobody knows", () => {
    expect(look("last-known")).toMatchObject({ step: 5, aged: true, crossed: false });
    expect(look("none", { state: "crashed" })).toMatchObject({
      kind: "used",
      step: -1,
      value: "",
      second: "",
      crossed: true,
    });
  });

  it("of a crashed NF says so and shows no figure", () => {
    expect(look("present", { state: "crashed" })).toMatchObject({
      kind: "crashed",
      step: -1,
      value: "",
      second: "crashed",
    });
  });
});

describe("core time and cache", () => {
  const nfs = [
    nf("a.x", "h", 0, { sample: nfSample("a.x", { core: 0, cpu_percent: 50 }) }),
    nf("b.x", "h", 1, { sample: nfSample("b.x", { core: 1, cpu_percent: 25 }) }),
    nf("c.x", "h", 1, { sample: nfSample("c.x", { core: 1, cpu_percent: 5 }) }),
    nf("d.x", "h", 2, { seat: seat("h", 2, 1), sample: nfSample("d.x", { core: 2, cpu_percent: 90 }) }),
  ];
  const view = host("h", 2, 2, 8, {
    cores: [
      { core: 0, busy_percent: 80 },
      { core: 1, busy_percent: 100 },
    ],
  });

  it("is by chain, others together, and the rest of what is busy; of this node alone", () => {
    const time = coreTimeOf(view, 0, nfs, letters({ b: "A", a: "B" }));
    expect(time.parts.map(({ chain: of, amount }) => [of, amount])).toEqual([
      ["b", 0.25],
      ["a", 0.5],
      [null, 0.05],
    ]);
    expect(time.busy).toBeCloseTo(1.8);
    expect(time.other).toBeCloseTo(1.0);
  });

  it("is not shown where cores have no figures", () => {
    expect(coreTimeOf(view, 1, nfs, NO_LETTERS)).toMatchObject({ busy: null, other: 0, cores: 2 });
  });

  it("says size and ways of the cache, and who has ways of his own", () => {
    const llc = { size_bytes: 22 * 2 ** 20, ways: 11, ways_shared_with_nic: 2 };
    const nodes = (view.inventory?.nodes ?? []).map((node) => ({ ...node, llc }));
    const divided = { ...view, inventory: { ...view.inventory, nodes } } as HostView;
    expect(llcText(divided, 0)).toBe("22 MB, 11 ways, 2 of them also written by the NIC");
    expect(llcText(view, 0)).toBe("size not reported");
    const own = [nf("a.x", "h", 0, { seat: { ...seat("h", 0), llc_ways: 4 } }), ...nfs.slice(1)];
    expect(llcShares(own, 0, NO_LETTERS)).toEqual([{ chain: "a", ways: 4, bytes: null, held: [] }]);
  });

  it.each([
    [0, "0 B"],
    [1536, "1.5 kB"],
    [503_316_480, "480 MB"],
    [25_000_000_000, "23 GB"],
  ])("writes %i bytes as %s", (value, text) => expect(bytes(value)).toBe(text));
});

describe("words of the host page", () => {
  it("name what is silent and since when", () => {
    const now = new Date(AT);
    expect(silentSince(host("h"), now)).toBe("");
    expect(silentSince(host("h", 1, 2, 1, { status: "unreachable" }), now)).toMatch(
      /^unreachable since \d\d:\d\d:\d\d$/,
    );
  });

  it("name the ports a node holds, count many, and call the other nodes remote", () => {
    expect(nodeTitle(host("h", 2), 0)).toBe("holds eth0");
    expect(nodeTitle(host("h", 2), 1)).toBe("remote");
    const ports = Array.from({ length: 5 }, (_, at) => ({ name: `p${at}`, node: 0, kind: "nic" }));
    const many = host("h");
    expect(nodeTitle({ ...many, inventory: { ...many.inventory, ports } } as HostView, 0)).toBe("holds 5 ports");
  });

  it("find the chains that run here or are ordered to", () => {
    const here = nf("a.x", "h", 0);
    const placed = { nf_id: "b.x", chain: "b", position: 0, nf_type: "router", seat: seat("h", 1) };
    const all = [chain("a"), chain("b", { placement: [placed] }), chain("c")];
    expect(chainsOn("h", all, new Map([[here.nf_id, here]])).map(({ spec }) => spec.name)).toEqual(["a", "b"]);
  });

  it("take only addresses that the page can show", () => {
    expect(hostSearch({ layer: "drops", pin: "1/0", chain: "web", interference: true, view: "table" })).toEqual({
      layer: "drops",
      pin: "1/0",
      chain: "web",
      interference: true,
      view: "table",
    });
    expect(hostSearch({ layer: "taste", pin: "<b>", max: -1, view: "map", interference: "yes" })).toEqual({});
  });

  it("take the former name of the section Interference from a bookmark", () => {
    expect(hostSearch({ hurts: true })).toEqual({ interference: true });
  });
});

/** CoCo's picture and words: heights, ghosts, hops. Shares of a core; columns in per cent. */

import { describe, expect, it } from "vitest";
import { arcsOf, columnsOf, hopsOf, lettersOf, otherCoresOf, topOf, widthOf } from "@/laws/coco/picture-geometry";
import { cocoSearch } from "@/laws/coco/search";
import {
  changeText,
  elsewhereText,
  headline,
  lessText,
  loadsText,
  needText,
  overloadedRows,
  sharesText,
  shareText,
  startText,
  tieText,
} from "@/laws/coco/words";
import { cocoHost, cocoRow, element, push } from "./coco-fixtures";
import { swap } from "./numasfp-fixtures";

describe("the picture", () => {
  it("has the cores that hold NFs, by number, with what is needed beyond all of a core's time", () => {
    const columns = columnsOf(cocoHost());
    expect(columns.map(({ core, over }) => [core.core, Math.round(over)])).toEqual([
      [0, 30],
      [1, 0],
    ]);
    expect(columns[1]?.others).toBe(5);
  });

  it("draws blocks as high as what NFs need, filled as far as they use it", () => {
    const [first] = columnsOf(cocoHost());
    expect(first?.blocks.map(({ height, used, grown }) => [height, Math.round(used), grown])).toEqual([
      [72, 83, true],
      [48, 83, false],
    ]);
  });

  it("shows where a push would put an NF, also on a core that is empty now", () => {
    const [, second] = columnsOf(cocoHost());
    expect(second?.ghosts).toEqual([{ nf_id: "web.b", chain: "web", height: 48, from: 0 }]);
    const moved = cocoHost({ push: { core: 0, element: "web.a", moves: { "web.b": 2 }, lacks: 0.2, freed: 0.48 } });
    expect(columnsOf(moved).map(({ core }) => core.core)).toEqual([0, 1, 2]);
  });

  it("shows where NFs of a new lane would start, and says so", () => {
    const start = { nf_id: "web-lane-2.a", chain: "web-lane-2", host: "edge-1", core: 2, needs: 0.6 };
    const lanes = { chain: "web", lanes: 2, starts: [start] };
    const grown = { core: 0, element: "web.a", moves: {}, lacks: 0.3, freed: 0.6, lanes };
    const columns = columnsOf(cocoHost({ push: grown }));
    expect(columns.at(-1)?.ghosts).toEqual([{ nf_id: "web-lane-2.a", chain: "web-lane-2", height: 60, from: null }]);
    expect(headline(push(swap()), grown)).toContain("Carry web in 2 lanes: ");
    expect(startText(start, "edge-1")).toBe("web-lane-2.a on core 2, 60 % of it");
    expect([elsewhereText(lanes, "edge-1"), otherCoresOf(cocoHost({ push: grown }))]).toEqual(["", []]);
  });

  it("shows cores of other hosts apart, by host and number, and none of them among its own", () => {
    const start = { nf_id: "web-lane-2.b", chain: "web-lane-2", host: "edge-2", core: 2, needs: 0.3 };
    const starts = [start, { ...start, nf_id: "web-lane-2.a", core: 1 }, { ...start, nf_id: "web-lane-2.c" }];
    const lanes = { chain: "web", lanes: 2, starts };
    const host = cocoHost({ push: { core: 0, element: "web.a", moves: {}, lacks: 0.3, freed: 0.6, lanes } });
    expect(columnsOf(host).map(({ core, ghosts }) => [core.core, ghosts.length])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(otherCoresOf(host).map((one) => [one.host, one.core, one.ghosts.map(({ nf_id }) => nf_id)])).toEqual([
      ["edge-2", 1, ["web-lane-2.a"]],
      ["edge-2", 2, ["web-lane-2.b", "web-lane-2.c"]],
    ]);
    expect(startText(start, "edge-1")).toBe("web-lane-2.b on core 2 of edge-2, 30 % of it");
    expect(elsewhereText(lanes, "edge-1")).toBe("on edge-2");
  });

  it("says which lane would go, and what the others would need", () => {
    const lanes = { chain: "web", lanes: 1, starts: [], leaves: { "web-lane-2.a": 1 }, loads: { "0": 0.6 } };
    const lane = element("a", { nf_id: "web-lane-2.a", chain: "web-lane-2" });
    const less = { core: 1, element: "web-lane-2.a", moves: {}, lacks: 0, freed: 0.3, lanes };
    expect(headline(push(swap()), less)).toBe("Carry web in one lane less");
    const [first] = cocoHost().cores;
    if (!first) throw new Error("the host has no core");
    const [column] = columnsOf(cocoHost({ cores: [{ ...first, elements: [element("a"), lane] }], push: less }));
    expect(column?.blocks.map(({ grown, ends }) => [grown, ends])).toEqual([
      [false, false],
      [false, true],
    ]);
    expect([lessText(lanes), loadsText(lanes)]).toEqual(["web-lane-2.a leaves core 1", "core 0 would need 60 %"]);
  });

  it("says what ties an NF with those of other chains", () => {
    expect([tieText(element("a", { tie: "edge" })), tieText(element("b"))]).toEqual(["; tied by edge", ""]);
  });

  it("has room for the fullest core, and for 100 % at least", () => {
    expect(topOf(columnsOf(cocoHost()))).toBe(120);
    expect(topOf([])).toBe(100);
  });

  it("gives chains letters by name", () => {
    expect([...lettersOf(cocoHost().cores)]).toEqual([["web", "A"]]);
  });

  it("adds up hops between the same cores; where one is not measured, neither is the sum", () => {
    const hop = { from_core: 0, to_core: 1, other_node: true };
    const two = hopsOf([
      { ...hop, chain: "web", mpps: 1 },
      { ...hop, chain: "nat", mpps: 0.5 },
    ]);
    expect(two).toEqual([{ from: 0, to: 1, chains: ["web", "nat"], mpps: 1.5, otherNode: true }]);
    expect(hopsOf([{ ...hop, chain: "web", mpps: null }])[0]?.mpps).toBeNull();
  });
});

describe("arcs", () => {
  const hop = { chains: ["web"], otherNode: false };

  it("run from column to column below them, as wide as what passes", () => {
    // Columns are 148 px wide, 16 apart: their middles are 74 and 74 + 164 = 238 px from the left.
    const columns = columnsOf(cocoHost());
    const arcs = arcsOf(
      [
        { ...hop, from: 0, to: 1, mpps: 4 },
        { ...hop, from: 1, to: 0, mpps: 1 },
      ],
      columns,
    );
    expect(arcs.map(({ start, end, width }) => [start, end, width])).toEqual([
      [92, 220, 10],
      [232, 80, 2.5],
    ]);
    expect(arcs[0]?.depth).not.toBe(arcs[1]?.depth);
    expect(widthOf(columns.length)).toBe(312);
  });

  it("are thin where nothing was measured, and left out of cores that are not drawn", () => {
    const found = arcsOf(
      [
        { ...hop, from: 0, to: 1, mpps: null },
        { ...hop, from: 0, to: 9, mpps: 1 },
      ],
      columnsOf(cocoHost()),
    );
    expect(found.map(({ hop: { to }, width }) => [to, width])).toEqual([[1, 1]]);
  });
});

describe("the words", () => {
  it("say what goes where and what it gains", () => {
    expect(headline(push(swap()), cocoHost().push)).toBe("Push web.b aside to core 1: +1.6 Gbps");
    expect(headline(push(swap()), null)).toBe("Push web aside: +1.6 Gbps");
  });

  it("say what an NF uses, and needs where that is more", () => {
    expect(needText(element("a", { use: 0.4, needs: 0.48 }))).toBe("uses 40 %, needs 48 %");
    expect(needText(element("a", { use: 0.4, needs: 0.4 }))).toBe("uses 40 %");
    expect(needText(element("a", { use: null, needs: null }))).toBe("not measured");
    expect(shareText(null)).toBe("–");
  });

  it("leave only hosts that are overloaded", () => {
    const rows = [cocoRow("edge-1", { overloaded: 1 }), cocoRow("edge-2")];
    expect(overloadedRows(rows).map(({ host }) => host)).toEqual(["edge-1"]);
  });
});

it("takes from an address only what it may say", () => {
  expect(cocoSearch({ host: "edge-1", overloaded: true })).toEqual({ host: "edge-1", overloaded: true });
  expect(cocoSearch({ host: "../x", overloaded: "yes" })).toEqual({});
});

describe("a core that the host divides", () => {
  const nfs = [
    { nf_id: "nat.a", percent: 25 },
    { nf_id: "web.a", percent: 75 },
  ];

  it("names the share of each NF, and a dash where none can be read", () => {
    expect(sharesText({ core: 1, nfs, held: null, changed: null })).toBe("nat.a 25 %, web.a 75 %");
    expect(sharesText({ core: 1, nfs: [], held: "shares not met: no helper", changed: null })).toBe("–");
  });

  it("says what each had before", () => {
    const moved = [{ nf_id: "web.a", before_percent: 50, after_percent: 75 }];
    expect(changeText({ at: "2026-01-01T00:00:00Z", cause: "", nfs: moved })).toBe("web.a 50 to 75 %");
  });
});

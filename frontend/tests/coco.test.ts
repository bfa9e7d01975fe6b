/** CoCo's picture and words: heights, ghosts, hops. Shares of a core; columns in per cent. */

import { describe, expect, it } from "vitest";
import { columnsOf, hopsOf, lettersOf, topOf } from "@/laws/coco/picture-geometry";
import { cocoSearch } from "@/laws/coco/search";
import { headline, needText, overloadedRows, shareText } from "@/laws/coco/words";
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

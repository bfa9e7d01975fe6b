import { describe, expect, it } from "vitest";
import type { Interference } from "@/api/types";
import { bottleneckOf, cellSentence, lossSentence, lossText } from "@/interference/causes";
import { MANY, matricesOf, warmStep, worstOf } from "@/interference/matrix";
import { dropsOf } from "@/plans/drop-bar";
import { cause, victim } from "./fixtures";

const HOST: Interference = {
  host: "edge-1",
  provenance: "predicted",
  models: [],
  note: null,
  victims: [
    // Loses 0.10 + 0.06 = 0.16 of 10 Mpps to vpn, 0.04 to the constant: 2.0 in all.
    victim("dmz.fw", 0, [cause("neighbour", "branch.vpn", 0.1, 0.06), cause("fixed", null, 0, 0, 0.04)]),
    victim("branch.vpn", 0, [cause("neighbour", "dmz.fw", 0.005, 0)]),
    victim("cdn.lb", 1, [cause("remote", null, 0.03, 0.02), cause("fixed", null, 0, 0, 0.04)], { is_bottleneck: true }),
  ],
};

describe("interference", () => {
  it("is a matrix a node: NFs in the host's order, other causes last, sums both ways", () => {
    const [first, second] = matricesOf(HOST, null);
    expect(first?.columns.map(({ key }) => key)).toEqual(["dmz.fw", "branch.vpn", "fixed"]);
    expect(first?.rows.map(({ lost }) => lost)).toEqual([2, 0.05].map((mpps) => expect.closeTo(mpps)));
    expect(first?.sums.get("branch.vpn")).toBeCloseTo(1.6);
    expect(first?.total).toBeCloseTo(2.05);
    expect(second?.columns.map(({ key }) => key)).toEqual(["cdn.lb", "remote", "fixed"]);
  });

  it("keeps the aggressors of a chain that is looked at, whoever they are", () => {
    const matrices = matricesOf(HOST, "dmz");
    expect(matrices.map(({ rows }) => rows.map(({ victim: { nf_id } }) => nf_id))).toEqual([["dmz.fw"]]);
    expect(matrices[0]?.columns.map(({ key }) => key)).toEqual(["branch.vpn", "fixed"]);
  });

  it("puts the greatest loss first on a large host, in rows and columns", () => {
    const ids = Array.from({ length: MANY + 1 }, (_, index) => `c${index}.nf`);
    const victims = ids.map((id, index) =>
      // Each NF loses to the next one, the more the later it stands.
      victim(id, 0, [cause("neighbour", ids[(index + 1) % ids.length] ?? "", index / 100, 0)]),
    );
    const [matrix] = matricesOf({ ...HOST, victims }, null);
    expect(matrix?.rows[0]?.victim.nf_id).toBe(`c${MANY}.nf`);
    expect(matrix?.columns[0]?.key).toBe("c0.nf");
    expect(matrix?.columns).toHaveLength(MANY + 1);
  });

  it("takes steps that can be read back from the key", () => {
    expect([0, 0.049, 0.05, 0.25, 0.5, 0.99, 1, 40].map(warmStep)).toEqual([0, 0, 1, 2, 3, 3, 4, 4]);
  });
});

describe("a loss in words", () => {
  it("says how much, by what, and to whom most of it", () => {
    const row = worstOf(matricesOf(HOST, null));
    expect(row?.victim.nf_id).toBe("dmz.fw");
    // 1.0 of 2.0 by cache, 0.6 by memory, 0.4 fixed; vpn takes 1.6 of 2.0.
    expect(row && lossSentence(row.victim)).toBe(
      "loses 2.0 of 10.0 Mpps: 50 % by cache, 30 % by memory, 20 % fixed; " +
        "most of it, 1.6, to vpn of branch, the rest to 1 other cause",
    );
  });

  it("does not say 'most' of less than half, nor that more is lost than there is", () => {
    const parts = [0.03, 0.02, 0.02].map((drop, index) => cause("neighbour", `x${index}.nf`, drop, 0));
    expect(lossSentence(victim("a.nf", 0, parts))).toContain("the largest part, 0.30, to nf of x0");
    const ruined = victim("a.nf", 0, [cause("neighbour", "x.nf", 0.7, 0), cause("fixed", null, 0, 0, 0.3)], {
      mpps: 0,
    });
    expect(lossSentence(ruined)).toContain("loses all of its 10.0 Mpps: 70 % by cache, 30 % fixed; most of it, 7.0");
    expect(lossText(ruined)).toBe("loses all of its 10.0 Mpps");
    expect(lossSentence(victim("a.nf", 0, []))).toBe("loses almost nothing");
  });

  it("describes one cell with its parts", () => {
    const [fw] = HOST.victims;
    const [vpn] = fw?.causes ?? [];
    expect(fw && vpn && cellSentence(fw, vpn)).toBe(
      "fw of dmz loses 1.6 Mpps to vpn of branch: 1.0 by cache, 0.60 by memory",
    );
  });

  it("finds the NF that limits a chain: the marked one, else the slowest", () => {
    expect(bottleneckOf(HOST, "cdn")?.nf_id).toBe("cdn.lb");
    const two = [victim("c.a", 0, [], { mpps: 4 }), victim("c.b", 0, [], { mpps: 3 })];
    expect(bottleneckOf({ ...HOST, victims: two }, "c")?.nf_id).toBe("c.b");
    expect(bottleneckOf(HOST, "elsewhere")).toBeNull();
  });
});

describe("the bar of an NF", () => {
  const nf = { nf_id: "a.nf", ideal_mpps: 8, worst: [] };
  const widths = (part: { mpps: number; llc_drop: number; mem_drop: number; fixed_drop: number }) => {
    const { kept, drops } = dropsOf({ ...nf, ...part });
    return [kept, ...drops.map(({ width }) => width)];
  };

  it("is what is kept and what is lost to each cause", () => {
    // 8 x (1 - 0.25 - 0.15 - 0.1) = 4
    expect(widths({ mpps: 4, llc_drop: 0.25, mem_drop: 0.15, fixed_drop: 0.1 })).toEqual(
      [0.5, 0.25, 0.15, 0.1].map((width) => expect.closeTo(width)),
    );
  });

  it("never exceeds the ideal, whatever the model says", () => {
    // A drop of 1.5 is clamped to all there is: cache takes 2/3 of the bar, memory 1/3.
    expect(widths({ mpps: 0, llc_drop: 1, mem_drop: 0.5, fixed_drop: 0 })).toEqual(
      [0, 2 / 3, 1 / 3, 0].map((width) => expect.closeTo(width)),
    );
    expect(widths({ mpps: 8, llc_drop: 0.1, mem_drop: 0, fixed_drop: -0.2 })[3]).toBe(0);
  });
});

/** Shares of an NF type in words and figures. */

import { expect, test } from "vitest";
import type { SharesVersion } from "@/api/types";
import { linesOf } from "@/laws/coco/words";
import { drawn, hopsText, lineText, readShares, USUAL_SHARES, whyNotPromoted } from "@/nf-types/shares";
import { cli } from "@/session/cli";
import { cocoHost, element } from "./coco-fixtures";
import { ask } from "./profiling-fixtures";

const MEASURED: SharesVersion["measured"] = {
  line: {
    slope: 0.1,
    intercept: 0.05,
    slope_half_width: 0.001,
    intercept_half_width: 0.01,
    r_squared: 0.9987,
    through_origin: false,
  },
  refused: null,
  points: [
    { mpps: 1, share: 0.15, half_width: 0.002 },
    { mpps: 4, share: 0.45, half_width: 0.002 },
  ],
  carries_mpps: 8,
  packet_bytes: 64,
  flows: 1000,
};
const version = (measured: Partial<SharesVersion["measured"]> = {}) =>
  ({ measured: { ...MEASURED, ...measured } }) as SharesVersion;

test("a line says its slope, its intercept and how well it fits", () => {
  expect(lineText(version())).toBe("10.0 % of a core an Mpps and 5.0 % besides, R² 0.9987");
  const line = MEASURED.line && { ...MEASURED.line, intercept: 0, through_origin: true };
  expect(lineText(version({ line: line ?? null }))).toContain("nothing besides");
  expect(lineText(version({ line: null, refused: "the share does not rise" }))).toBe(
    "No line: the share does not rise",
  );
});

test("the line is drawn up to what was carried of a full line, 5 % to .1 x 8 + .05 = 85 %", () => {
  const { most, points, ends } = drawn(version());
  expect(most).toBe(8);
  expect(points).toEqual([
    { mpps: 1, percent: 15 },
    { mpps: 4, percent: 45 },
  ]);
  expect(ends?.[0]).toBeCloseTo(5);
  expect(ends?.[1]).toBeCloseTo(85);
  expect(drawn(version({ line: null, refused: "it falls" })).ends).toBeNull();
});

test("hops say how much longer a packet takes, and nothing where they were not measured", () => {
  const hops: SharesVersion["measured"]["hops"] = [
    { distance: "same_core", us: 7.9, half_width_us: 4.4, mpps: 0.5 },
    { distance: "same_node", us: -2, half_width_us: null, mpps: 0.5 },
  ];
  expect(hopsText(version({ hops }))).toBe(
    "A packet takes 7.9 us longer on its core, −2.0 us to another core, where two processes carry it instead of one",
  );
  expect(hopsText(version())).toBeNull();
});

test("a version without a line can be promoted for hops to another core, and no other", () => {
  const hop = (distance: "same_core" | "same_node") => ({ distance, us: 8, half_width_us: null, mpps: 0.5 });
  const without = { line: null, refused: "it falls" };
  expect(whyNotPromoted(version())).toBeNull();
  expect(whyNotPromoted(version(without))).toBe("it falls");
  expect(whyNotPromoted(version({ ...without, hops: [hop("same_core")] }))).toBe("it falls");
  expect(whyNotPromoted(version({ ...without, hops: [hop("same_core"), hop("same_node")] }))).toBeNull();
});

test("what is typed becomes an ask and a command with the options that are not usual", () => {
  const usual = readShares(USUAL_SHARES).shares;
  expect(usual).toEqual({ points: 6, most_percent: 90 });
  expect(usual && cli.measureShares(ask({ shares: usual }))).toBe("sextant shares measure edge --host edge-1");
  const { shares } = readShares({ points: "12", mostPercent: "50", hops: true });
  expect(shares && cli.measureShares(ask({ shares, packet_bytes: 512 }))).toBe(
    "sextant shares measure edge --host edge-1 --points 12 --most-percent 50 --packet-bytes 512 --hops",
  );
  const wrong = readShares({ points: "2", mostPercent: "96", hops: false });
  expect([wrong.shares, wrong.errors.map(({ field, message }) => `${field}: ${message}`)]).toEqual([
    null,
    ["shares.points: at least 3", "shares.most_percent: at most 95"],
  ]);
});

test("of each NF type it is said once what its needs go by", () => {
  const [core] = cocoHost().cores;
  if (!core) throw new Error("the host has no core");
  const elements = [
    element("a", { nf_type: "vpn", shares_id: 7 }),
    element("b", { nf_type: "vpn", shares_id: 7 }),
    element("c", { nf_type: "nat" }),
  ];
  expect(linesOf([{ ...core, elements }])).toEqual([
    { nfType: "nat", sharesId: null },
    { nfType: "vpn", sharesId: 7 },
  ]);
});

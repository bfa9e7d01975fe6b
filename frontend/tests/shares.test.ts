/** Shares of an NF type in words and figures. */

import { expect, test } from "vitest";
import type { SharesVersion } from "@/api/types";
import { drawn, hopsText, lineText } from "@/nf-types/shares";

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

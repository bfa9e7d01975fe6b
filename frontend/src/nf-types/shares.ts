/** Shares of an NF type in words and figures. Pure. */

import type { SharesVersion } from "@/api/types";
import { figure } from "@/lib/format";

/** "7.5 % of a core an Mpps and 2 % besides, R² 0.9998"; why there is no line. */
export function lineText({ measured }: SharesVersion): string {
  const { line, refused } = measured;
  if (!line) return `No line: ${refused}`;
  const rest = line.through_origin ? "nothing besides" : `${figure(100 * line.intercept)} % besides`;
  return `${figure(100 * line.slope)} % of a core an Mpps and ${rest}, R² ${line.r_squared.toFixed(4)}`;
}

const DISTANCES = {
  same_core: "on its core",
  same_node: "to another core",
  other_node: "to another node",
} as const;

/** "A packet takes 7.9 us longer on its core, 12.9 us to another core, where two processes carry it instead of one";
 * null where hops were not measured. */
export function hopsText({ measured }: SharesVersion): string | null {
  const hops = measured.hops ?? [];
  if (hops.length === 0) return null;
  const each = hops.map(
    ({ distance, us }, at) => `${figure(us)} us ${at === 0 ? "longer " : ""}${DISTANCES[distance]}`,
  );
  return `A packet takes ${each.join(", ")}, where two processes carry it instead of one`;
}

/** What is drawn: points in Mpps and % of a core, and the line's ends; the axis of rates ends at `most`. */
export function drawn({ measured }: SharesVersion): {
  most: number;
  points: readonly { mpps: number; percent: number }[];
  ends: readonly [number, number] | null;
} {
  const points = measured.points.map(({ mpps, share }) => ({ mpps, percent: 100 * share }));
  const most = Math.max(measured.carries_mpps, ...points.map(({ mpps }) => mpps)) || 1;
  const { line } = measured;
  if (!line) return { most, points, ends: null };
  return { most, points, ends: [100 * line.intercept, 100 * (line.intercept + line.slope * most)] };
}

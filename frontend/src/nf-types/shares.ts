/** Shares of an NF type in words and figures. Pure. */

import type { FieldError, ProfilingAsk, SharesVersion } from "@/api/types";
import { figure } from "@/lib/format";
import { numberReader } from "@/lib/numbers";

type SharesAsk = NonNullable<ProfilingAsk["shares"]>;

/** What is typed in the window that starts a job. */
export interface TypedShares {
  readonly points: string;
  readonly mostPercent: string;
  readonly hops: boolean;
}

export const USUAL_SHARES: TypedShares = { points: "6", mostPercent: "90", hops: false };
export const MOST_PERCENT = 95;

/** What is asked for, or what is wrong. */
export function readShares(typed: TypedShares): { shares: SharesAsk | null; errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const number = numberReader((field, message) => errors.push({ field, message }));
  const shares: SharesAsk = {
    points: number("shares.points", typed.points, { least: 3, most: 32, whole: true }),
    most_percent: number("shares.most_percent", typed.mostPercent, { least: 10, most: MOST_PERCENT }),
    ...(typed.hops ? { hops: true } : {}),
  };
  return { shares: errors.length > 0 ? null : shares, errors };
}

/** Why a version cannot be promoted; null where it can. Hops that plans can go by are enough. */
export function whyNotPromoted({ measured, stale }: SharesVersion): string | null {
  const hops = (measured.hops ?? []).some(({ distance }) => distance === "same_node");
  return (hops ? null : measured.refused) ?? stale ?? null;
}

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

/** What an operator types for a chain's quota bounds, against what it has. Pure. */

import type { ChainChange, ChainSpec, FieldError } from "@/api/types";
import type { numberReader } from "@/lib/numbers";

export const QUOTA_BOUNDS = "quota_bounds";
export const MAX_P95 = `${QUOTA_BOUNDS}.max_p95_us`;
export const LEAST_QUOTA = `${QUOTA_BOUNDS}.least_percent`;
export const MOST_QUOTA = `${QUOTA_BOUNDS}.most_percent`;
export const QUOTA_PATHS = [MAX_P95, LEAST_QUOTA, MOST_QUOTA] as const;

/** Null where it is a path of something else; empty where the chain has no such bounds. */
export function quotaBoundText({ quota_bounds }: ChainSpec, path: string): string | null {
  if (path === MAX_P95) return String(quota_bounds?.max_p95_us ?? "");
  if (path === LEAST_QUOTA) return String(quota_bounds?.least_percent ?? "");
  return path === MOST_QUOTA ? String(quota_bounds?.most_percent ?? "") : null;
}

/** Null where all three fields are empty: the host leaves CPU quotas as they are ordered. */
export function readQuotaBounds(
  text: (path: string) => string,
  number: ReturnType<typeof numberReader>,
  errors: FieldError[],
): NonNullable<ChainChange["quota_bounds"]> | null {
  const [p95 = "", least = "", most = ""] = QUOTA_PATHS.map((path) => text(path).trim());
  if (!p95 && !least && !most) return null;
  const bounds = {
    max_p95_us: number(MAX_P95, p95, { least: 1, most: 1_000_000 }),
    least_percent: number(LEAST_QUOTA, least, PERCENT),
    most_percent: number(MOST_QUOTA, most, PERCENT),
  };
  if (errors.every(({ field }) => !field.startsWith(QUOTA_BOUNDS)) && bounds.least_percent > bounds.most_percent) {
    errors.push({ field: LEAST_QUOTA, message: `more than the most, ${bounds.most_percent}` });
  }
  return bounds;
}

const PERCENT = { least: 1, most: 100, whole: true } as const;

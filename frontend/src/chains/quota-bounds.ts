/** What an operator types for a chain's quota bounds, against what it has. Pure. */

import type { ChainChange, ChainSpec, FieldError } from "@/api/types";
import type { numberReader } from "@/lib/numbers";

type Bounds = NonNullable<ChainChange["quota_bounds"]>;

export const QUOTA_BOUNDS = "quota_bounds";
export const MAX_P95 = `${QUOTA_BOUNDS}.max_p95_us`;
export const LEAST_QUOTA = `${QUOTA_BOUNDS}.least_percent`;
export const MOST_QUOTA = `${QUOTA_BOUNDS}.most_percent`;
export const LEAST_WAYS = `${QUOTA_BOUNDS}.least_ways`;
export const MOST_WAYS = `${QUOTA_BOUNDS}.most_ways`;
export const LEAST_BANDWIDTH = `${QUOTA_BOUNDS}.least_bandwidth_percent`;
const OF_QUOTA = [MAX_P95, LEAST_QUOTA, MOST_QUOTA] as const;
const OF_MEMORY = [LEAST_WAYS, MOST_WAYS, LEAST_BANDWIDTH] as const;
export const QUOTA_PATHS = [...OF_QUOTA, ...OF_MEMORY] as const;

const FIELDS: Readonly<Record<string, keyof Bounds>> = {
  [MAX_P95]: "max_p95_us",
  [LEAST_QUOTA]: "least_percent",
  [MOST_QUOTA]: "most_percent",
  [LEAST_WAYS]: "least_ways",
  [MOST_WAYS]: "most_ways",
  [LEAST_BANDWIDTH]: "least_bandwidth_percent",
};

/** Null where it is a path of something else; empty where the chain has no such bounds. */
export function quotaBoundText({ quota_bounds }: ChainSpec, path: string): string | null {
  const field = FIELDS[path];
  return field ? String(quota_bounds?.[field] ?? "") : null;
}

/** Null where all fields are empty: the host leaves what its NFs have as it is ordered. */
export function readQuotaBounds(
  text: (path: string) => string,
  number: ReturnType<typeof numberReader>,
  errors: FieldError[],
): Bounds | null {
  const typed = (path: string) => text(path).trim();
  if (QUOTA_PATHS.every((path) => !typed(path))) return null;
  const bounds: Bounds = {
    max_p95_us: number(MAX_P95, typed(MAX_P95), { least: 1, most: 1_000_000 }),
    least_percent: number(LEAST_QUOTA, typed(LEAST_QUOTA), PERCENT),
    most_percent: number(MOST_QUOTA, typed(MOST_QUOTA), PERCENT),
  };
  if (typed(LEAST_WAYS) || typed(MOST_WAYS)) {
    bounds.least_ways = number(LEAST_WAYS, typed(LEAST_WAYS), WAYS);
    bounds.most_ways = number(MOST_WAYS, typed(MOST_WAYS), WAYS);
  }
  if (typed(LEAST_BANDWIDTH)) {
    bounds.least_bandwidth_percent = number(LEAST_BANDWIDTH, typed(LEAST_BANDWIDTH), PERCENT);
  }
  if (errors.some(({ field }) => field.startsWith(QUOTA_BOUNDS))) return bounds;
  if (bounds.least_percent > bounds.most_percent) {
    errors.push({ field: LEAST_QUOTA, message: `more than the most, ${bounds.most_percent}` });
  }
  if ((bounds.least_ways ?? 0) > (bounds.most_ways ?? 0)) {
    errors.push({ field: LEAST_WAYS, message: `more than the most, ${bounds.most_ways}` });
  }
  return bounds;
}

const PERCENT = { least: 1, most: 100, whole: true } as const;
const WAYS = { least: 1, most: 64, whole: true } as const;

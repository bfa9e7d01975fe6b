/** How far predictions were from what chains carried, chain by chain. Pure. */

import type { PlacementResult } from "@/api/types";

export type StudyPrediction = PlacementResult["predictions"][number];

/** Carried less predicted, in points of the throughput alone (the error of the drop, with its sign turned); ascending.
 * Chains of which the predictor says nothing are left out. */
export function differencesOf(rows: readonly StudyPrediction[], predictor: string): number[] {
  return rows
    .flatMap(({ predicted_mpps, carried_mpps, ideal_mpps }) => {
      const mpps = predicted_mpps[predictor];
      return mpps == null ? [] : [(100 * (carried_mpps - mpps)) / ideal_mpps];
    })
    .sort((a, b) => a - b);
}

export interface Spread {
  readonly low: number;
  readonly quarter: number;
  readonly middle: number;
  readonly threeQuarters: number;
  readonly high: number;
}

/** Where 95 % and a half of the values lie; null where there are none. */
export function spreadOf(sorted: readonly number[]): Spread | null {
  if (sorted.length === 0) return null;
  return {
    low: quantile(sorted, 0.025),
    quarter: quantile(sorted, 0.25),
    middle: quantile(sorted, 0.5),
    threeQuarters: quantile(sorted, 0.75),
    high: quantile(sorted, 0.975),
  };
}

/** The value below which a share of the values lies, between neighbours by their distance. */
function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Bins of one width with an edge at 0, from the first that holds a value to the last. */
export function binned(sorted: readonly number[], width: number): Bin[] {
  const at = (value: number | undefined) => Math.floor((value ?? 0) / width + 1e-9);
  if (sorted.length === 0) return [];
  const [first, last] = [at(sorted[0]), at(sorted.at(-1))];
  const counts = Array.from({ length: last - first + 1 }, () => 0);
  for (const value of sorted) counts[at(value) - first] = (counts[at(value) - first] ?? 0) + 1;
  // + 0: no edge is minus zero.
  return counts.map((count, index) => ({
    from: (first + index) * width + 0,
    to: (first + index + 1) * width + 0,
    count,
  }));
}

/** Every so many-th of the rows, so that at most `most` are left. */
export function thinned<T>(rows: readonly T[], most: number): readonly T[] {
  const every = Math.ceil(rows.length / most);
  return every <= 1 ? rows : rows.filter((_, index) => index % every === 0);
}

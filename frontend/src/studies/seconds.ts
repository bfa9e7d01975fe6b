/** What placements carry second by second, where time passes. Pure. */

import type { Algorithm, PlacementResult } from "@/api/types";

export interface SecondsLine {
  readonly algorithm: Algorithm;
  /** Mpps of all chains in each second, the mean over runs. */
  readonly mpps: readonly number[];
}

/** Of a set, by algorithm in the study's order; empty where time does not pass. */
export function bySecond({ scenario, placed }: PlacementResult, set: string): SecondsLine[] {
  return (scenario.algorithms ?? []).flatMap((algorithm) => {
    const runs = placed
      .filter((row) => row.set === set && row.algorithm === algorithm)
      .map(({ by_second_mpps }) => by_second_mpps)
      .filter((seconds) => seconds.length > 0);
    const [first] = runs;
    return first ? [{ algorithm, mpps: first.map((_, second) => mean(runs.map((run) => run[second] ?? 0))) }] : [];
  });
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

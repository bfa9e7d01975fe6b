/** Comparisons in words. Pure. */

import type { Comparison } from "@/api/types";

/** "Re-place the fleet", "Place web". */
export function intentText({ intent }: Pick<Comparison, "intent">): string {
  return intent.kind === "place" ? `Place ${intent.chain}` : "Re-place the fleet";
}

/** "Re-place the fleet", "Place web, from fleet.json". */
export function comparisonSubject(comparison: Comparison): string {
  const what = intentText(comparison);
  return comparison.source === "file" ? `${what}, from ${comparison.label}` : what;
}

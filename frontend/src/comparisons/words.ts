/** Comparisons in words. Pure. */

import type { Comparison } from "@/api/types";

/** "Re-place the fleet", "Place web, of fleet.json". */
export function comparisonSubject({ intent, source, label }: Comparison): string {
  const what = intent.kind === "place" ? `Place ${intent.chain}` : "Re-place the fleet";
  return source === "file" ? `${what}, from ${label}` : what;
}

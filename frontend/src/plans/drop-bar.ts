/** What an NF keeps and loses of its ideal throughput, as parts of one bar. Pure. */

import type { NfPrediction } from "@/api/types";

export type DropKind = "cache" | "memory" | "fixed";

export interface Drop {
  readonly kind: DropKind;
  readonly mpps: number;
  /** Share of the bar, 0 to 1; the parts and what is kept never exceed it. */
  readonly width: number;
}

/** Drops in Mpps. A model's constant may be negative (Octans, Eq. 9): it has a figure, and no width. */
export function dropsOf(nf: NfPrediction): { kept: number; drops: Drop[] } {
  const parts = [
    ["cache", nf.llc_drop],
    ["memory", nf.mem_drop],
    ["fixed", nf.fixed_drop],
  ] as const;
  const kept = nf.ideal_mpps > 0 ? Math.min(1, Math.max(0, nf.mpps / nf.ideal_mpps)) : 0;
  const lost = parts.reduce((sum, [, drop]) => sum + Math.max(0, drop), 0);
  // What is clamped (a drop above 1, a negative constant) shrinks the parts, so that the bar stays whole.
  const scale = lost > 0 ? Math.min(1, (1 - kept) / lost) : 0;
  return {
    kept,
    drops: parts.map(([kind, drop]) => ({ kind, mpps: drop * nf.ideal_mpps, width: Math.max(0, drop) * scale })),
  };
}

/** Where an NF may be moved, by what is predicted there, and why not elsewhere. Pure. */

import type { MoveTargets } from "@/api/types";
import { percent } from "@/lib/format";

export type MoveTarget = MoveTargets["cores"][number];

/** Two digits behind the point: predictions of two cores often differ by less than a tenth. */
export function mpps(value: number): string {
  return value.toFixed(2);
}

/** A change below this is none that a figure shows. */
const LEAST_MPPS = 0.005;

/** Cores that can take the NF, the best first and then by number; and those that cannot. */
export function inRank(cores: readonly MoveTarget[]): [MoveTarget[], MoveTarget[]] {
  const open = cores.filter(({ why_not }) => why_not === null);
  const rank = ({ rank: at }: MoveTarget) => at ?? Number.POSITIVE_INFINITY;
  return [open.sort((a, b) => rank(a) - rank(b) || a.core - b.core), cores.filter(({ why_not }) => why_not !== null)];
}

/** "6.60 → 6.20 Mpps", "6.60 Mpps as now", "nothing predicted". */
export function targetText({ chain_mpps: then, change_mpps: change }: MoveTarget, now: number | null): string {
  if (then === null) return "nothing predicted";
  if (now === null || change === null) return `${mpps(then)} Mpps`;
  return Math.abs(change) < LEAST_MPPS ? `${mpps(then)} Mpps as now` : `${mpps(now)} → ${mpps(then)} Mpps`;
}

/** In a cell: "best", "rank 3"; where a move changes nothing for the chain, no rank says that it would, and where other
 * work uses the core, no prediction does. */
export function rankText({ rank, change_mpps: change, other_percent: other }: MoveTarget): string {
  if (other != null) return "other";
  if (change !== null && Math.abs(change) < LEAST_MPPS) return "as now";
  return rank === 1 ? "best" : `rank ${rank}`;
}

/** What happens to other chains, and to latency, and who else is on the core; empty where nothing is to be said. */
export function targetNotes({ others_mpps: others, worse, other_percent: other }: MoveTarget): string {
  const notes = worse.filter(({ what }) => what === "latency").map(({ chain, detail }) => `${chain}: ${detail}`);
  if (others !== null && Math.abs(others) >= LEAST_MPPS) {
    notes.unshift(`other chains ${others > 0 ? "+" : "−"}${mpps(Math.abs(others))} Mpps`);
  }
  if (other != null) notes.unshift(`other work uses ${percent(other)} % of the core, which predictions ignore`);
  return notes.join("; ");
}

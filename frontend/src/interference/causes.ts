/** What an NF loses, and to whom, in words. Pure. */

import type { Cause, Interference, Victim } from "@/api/types";
import { count, figure, percent } from "@/lib/format";

/** "vpn of branch-b" of "branch-b.vpn". */
export function nfText(id: string): string {
  const dot = id.indexOf(".");
  return `${id.slice(dot + 1)} of ${id.slice(0, dot)}`;
}

/** "branch-b" of "branch-b.vpn". */
export function chainOfNf(id: string): string {
  return id.slice(0, id.indexOf("."));
}

/** The NF that limits a chain on this host, or the one that gives least; null where none of it runs here. */
export function bottleneckOf({ victims }: Interference, chain: string): Victim | null {
  const own = victims.filter((victim) => victim.chain === chain);
  const slowest = (a: Victim, b: Victim) => (b.mpps < a.mpps ? b : a);
  return own.find(({ is_bottleneck }) => is_bottleneck) ?? (own.length > 0 ? own.reduce(slowest) : null);
}

/** "to vpn of branch-b", "to running on a remote node". */
export function toWhom(cause: Pick<Cause, "kind" | "nf_id">): string {
  if (cause.nf_id) return `to ${nfText(cause.nf_id)}`;
  return {
    neighbour: "to a neighbour",
    background: "to load from outside Sextant",
    chaining: "to its upstream NF on another node",
    remote: "to running on a remote node",
    fixed: "to the fixed part of the model",
  }[cause.kind];
}

/** The parts of a loss by what is contended, Mpps. */
export function partsOf(cause: Pick<Cause, "llc_drop" | "mem_drop">, ideal: number): { cache: number; memory: number } {
  return { cache: cause.llc_drop * ideal, memory: cause.mem_drop * ideal };
}

/** All that an NF loses, Mpps; its causes add up to its drop. */
export function lossOf(victim: Victim): number {
  return victim.causes.reduce((sum, cause) => sum + cause.lost_mpps, 0);
}

/** Less than this is not worth a word. */
const LITTLE = 0.005;

/** "loses 1.7 of 10.0 Mpps", "loses all of its 10.0 Mpps". */
export function lossText(victim: Victim): string {
  const lost = lossOf(victim);
  if (lost < LITTLE) return "loses almost nothing";
  // The model may say more than all there is: a drop above 1 leaves nothing (Octans, Eq. 9).
  const all = lost >= victim.ideal_mpps - LITTLE ? "all of its" : `${figure(lost)} of`;
  return `loses ${all} ${figure(victim.ideal_mpps)} Mpps`;
}

/** "loses 1.7 Mpps: 71 % by cache, 29 % by memory; most of it to vpn of branch-b". Without the NF's name. */
export function lossSentence(victim: Victim): string {
  const lost = lossOf(victim);
  if (lost < LITTLE) return lossText(victim);
  const byCache = victim.causes.reduce((sum, { llc_drop }) => sum + llc_drop, 0) * victim.ideal_mpps;
  const byMemory = victim.causes.reduce((sum, { mem_drop }) => sum + mem_drop, 0) * victim.ideal_mpps;
  const parts = [
    [byCache, "by cache"],
    [byMemory, "by memory"],
    [lost - byCache - byMemory, "fixed"],
  ] as const;
  const shares = parts
    .filter(([mpps]) => Math.abs(mpps) >= LITTLE)
    .map(([mpps, how]) => `${mpps < 0 ? "−" : ""}${percent(Math.abs(mpps / lost) * 100)} % ${how}`);
  return `${lossText(victim)}: ${shares.join(", ")}; ${mostTo(victim, lost)}`;
}

function mostTo(victim: Victim, lost: number): string {
  const [first] = victim.causes;
  if (!first) return "the cause is unknown";
  const how = first.lost_mpps > lost / 2 ? "most of it" : "the largest part";
  const others = victim.causes.filter(({ lost_mpps }) => lost_mpps >= LITTLE).length - 1;
  const rest = others > 0 ? `, the rest to ${count(others, "other cause")}` : "";
  return `${how}, ${figure(first.lost_mpps)}, ${toWhom(first)}${rest}`;
}

/** One cell: "nids of mail-in loses 0.40 Mpps to vpn of branch-b: 0.31 by cache, 0.09 by memory". */
export function cellSentence(victim: Victim, cause: Cause): string {
  const { cache, memory } = partsOf(cause, victim.ideal_mpps);
  const how = [
    Math.abs(cache) >= 0.0005 ? `${figure(cache)} by cache` : "",
    Math.abs(memory) >= 0.0005 ? `${figure(memory)} by memory` : "",
  ].filter(Boolean);
  return `${nfText(victim.nf_id)} loses ${figure(cause.lost_mpps)} Mpps ${toWhom(cause)}${
    how.length > 0 ? `: ${how.join(", ")}` : ""
  }`;
}

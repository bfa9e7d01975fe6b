/** Figures of shared cores in words. Pure. */

import type { PlanIntent } from "@/api/actions";
import type { SharingCore, SharingNf } from "@/api/types";
import { lawText } from "@/laws/coco/words";
import { DASH, figure, percent } from "@/lib/format";

/** "64 %"; a dash where it was not measured. */
export function partText(part: number | null): string {
  return part === null ? DASH : `${percent(100 * part)} %`;
}

/** "0.52"; a dash where nothing came. */
export function costText(us: number | null): string {
  return us === null ? DASH : figure(us);
}

/** "+25 %" */
export function inflationText({ inflation }: SharingNf): string {
  return inflation === null ? DASH : `+${percent(100 * inflation)} %`;
}

export function shareText({ share_percent }: SharingNf): string {
  return share_percent === null ? "as ordered" : `${percent(share_percent)} %`;
}

/** Who divides the core: "divided by rate × cost". */
export function divisionText({ divided, law }: SharingCore): string {
  if (!divided) return "shares as ordered";
  return law === null ? "not divided: two laws are named" : `divided by ${lawText(law)}`;
}

/** What a screen reader hears of an NF in the bar. */
export function segmentText(nf: SharingNf): string {
  const more = nf.inflation === null ? "" : `; a packet costs ${inflationText(nf)} beside others`;
  return nf.load === null ? `${nf.nf_id}: not measured` : `${nf.nf_id}: ${partText(nf.load)} of the core${more}`;
}

/** Of chains that wait for a place; null where none does. */
export function placing([chain, ...more]: readonly string[]): PlanIntent | null {
  if (chain === undefined) return null;
  return more.length === 0 ? { kind: "place", chain } : { kind: "place", chain, more };
}

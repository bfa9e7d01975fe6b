/** Figures of shared cores in words. Pure. */

import type { PlanIntent } from "@/api/actions";
import type { HostCost, HostCostFit, OfferedAssigner, SharingCore, SharingNf } from "@/api/types";
import { lawText } from "@/laws/coco/words";
import { count, DASH, figure, percent } from "@/lib/format";

/** "64 %"; a dash where it was not measured. */
export function partText(part: number | null): string {
  return part === null ? DASH : `${percent(100 * part)} %`;
}

/** "0.52"; a dash where nothing came. */
export function costText(us: number | null): string {
  return us === null ? DASH : figure(us);
}

/** "0.48 (0.46 to 0.51)"; "from 0.46" where nothing bounds it above; alone where nothing says how far off it is. */
export function fittedText({ expected_us, expected_low_us: low, expected_high_us: high }: SharingNf): string {
  if (expected_us === null || low == null) return costText(expected_us);
  return `${figure(expected_us)} (${high == null ? `from ${figure(low)}` : `${figure(low)} to ${figure(high)}`})`;
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

/** "Typically 1.2 % off, and up to 5.4 % in nine of ten of what a fit did not use, 21.0 % of types that it did not know." */
export function costErrorText({ median_error, left_out_error, held_out_error }: HostCost): string {
  const [median, most] = [median_error, left_out_error].map((error) => figure(100 * error));
  const unknown = held_out_error == null ? "" : `, ${figure(100 * held_out_error)} % of types that it did not know`;
  return `typically ${median} % off, and up to ${most} % in nine of ten of what a fit did not use${unknown}.`;
}

/** "From 2140 spans of ten seconds under 4 placements, of firewall, nat." */
export function costSourceText({ windows, placements, nf_types }: HostCost): string {
  return `From ${count(windows, "span")} of ten seconds under ${count(placements, "placement")}, of ${nf_types.join(", ")}.`;
}

/** "waits for a worker"; "reads what its NFs measured"; "is made of 2140 spans of ten seconds". */
export function fitProgressText({ began_at, windows }: HostCostFit): string {
  if (began_at === null) return "waits for a worker";
  return windows === null ? "reads what its NFs measured" : `is made of ${count(windows, "span")} of ten seconds`;
}

/** "packets of web.a were 20 % off in the middle of ten minutes. No plan goes by it until it is fitted anew." */
export function driftText({ drift_nf, drift_error }: HostCost): string {
  const off = drift_error == null ? DASH : percent(100 * drift_error);
  return `packets of ${drift_nf} were ${off} % off in the middle of ten minutes. No plan goes by it until it is fitted anew.`;
}

/** "min_max: costs beside others were never fitted on edge-1." */
export function assignerText({ algorithm, why }: OfferedAssigner): string {
  return `${algorithm}: ${why}.`;
}

/** Of chains that wait for a place; null where none does. */
export function placing([chain, ...more]: readonly string[]): PlanIntent | null {
  if (chain === undefined) return null;
  return more.length === 0 ? { kind: "place", chain } : { kind: "place", chain, more };
}

/** How full an NF is: a figure, or the bound where only that is known. Pure. */

import type { NfSample } from "@/api/types";
import { DASH, percent } from "@/lib/format";

export interface Utilised {
  /** Of its core's time, percent. */
  readonly value: number;
  /** "≥": it is at least that; "≤": at most. */
  readonly sign: "" | "≥" | "≤";
}

/** Null where nothing reports it. */
export function utilisationOf(sample: NfSample | null | undefined): Utilised | null {
  const { utilisation_percent: value, utilisation_low_percent: low, utilisation_basis: basis } = sample ?? {};
  if (value != null) return { value, sign: basis === "cpu-time" ? "≤" : "" };
  return low == null ? null : { value: low, sign: "≥" };
}

/** "36", "≥36", "≤36", or a dash. */
export function utilisedText(sample: NfSample | null | undefined): string {
  const utilised = utilisationOf(sample);
  return utilised ? `${utilised.sign}${percent(utilised.value)}` : DASH;
}

/** Utilisation and headroom in words, and why they are missing. Pure. */

import type { NfSample } from "@/api/types";
import { DASH, figure, percent } from "@/lib/format";
import type { Layer } from "./layers";
import type { HostModel, Unit } from "./model";
import { type Utilised, utilisationOf, utilisedText } from "./utilisation";

const BASIS: Record<NonNullable<NfSample["utilisation_basis"]>, string> = {
  "busy-time": "",
  "cpu-time": " by CPU time, wake-ups included",
  "full-ring": ", its ring overflows",
};

/** Of a bound, which is of more than the newest second. */
const OVER = " over half a minute";
const WORDS: Record<Utilised["sign"], string> = { "": "", "≥": "at least ", "≤": "at most " };

/** "utilisation 25 % · room for 3.0 Mpps, 75 % of what it could carry". */
export function loadText(sample: NfSample): string {
  const utilised = utilisationOf(sample);
  if (!utilised) return "utilisation not reported";
  const more = sample.headroom_mpps == null ? "headroom not reported" : `room for ${headroomText(sample)}`;
  return `utilisation ${utilisationText(sample)} · ${more}`;
}

export function utilisationText(sample: NfSample): string {
  const utilised = utilisationOf(sample);
  if (!utilised) return DASH;
  const basis = sample.utilisation_basis ? BASIS[sample.utilisation_basis] : OVER;
  return `${WORDS[utilised.sign]}${percent(utilised.value)} %${basis}`;
}

/** "3.1 Mpps, 62 % of what it could carry". */
export function headroomText({ headroom_mpps: more, rx_mpps: now }: NfSample): string {
  if (more == null) return DASH;
  const share = more + now > 0 ? `, ${percent((100 * more) / (more + now))} % of what it could carry` : "";
  return `${figure(more)} Mpps${share}`;
}

/** Below an NF's name in its cell stands the figure that the layer does not show. */
export function secondFigure(layer: Layer, sample: NfSample | null | undefined): string {
  return layer.key === "throughput" ? `${utilisedText(sample)} %` : figure(sample?.tx_mpps);
}

/** How much of a shared core's time goes into packets of all its NFs; null where one of them does not report it, or
 * some give a lower bound and others an upper one. */
export function coreUtilisation(units: readonly Unit[], core: number): Utilised | null {
  let value = 0;
  let sign: Utilised["sign"] = "";
  for (const { nf, core: own } of units) {
    if (own.id !== core || !nf) continue;
    const utilised = utilisationOf(nf.sample);
    if (!utilised) return null;
    if (sign && utilised.sign && sign !== utilised.sign) return null;
    value += utilised.value;
    sign ||= utilised.sign;
  }
  return { value, sign };
}

/** Why a layer of load shows nothing of these hosts; null where it shows something, or no NF runs. */
export function whyNoLoad(layer: Layer, models: readonly HostModel[]): string | null {
  if (layer.from !== "drivers") return null;
  // Of a thousand hosts this is asked at every paint: the first figure ends it.
  let sampled = false;
  let counted = false;
  for (const { units } of models) {
    for (const { nf, value } of units) {
      if (!nf?.sample) continue;
      if (value !== null) return null;
      sampled = true;
      counted ||= nf.sample.utilisation_percent != null;
    }
  }
  if (!sampled) return null;
  if (layer.key === "headroom" && counted) return "every NF shown carries too little traffic to measure it";
  return "not reported: nothing counts the time that polling NFs spend on packets";
}

/** Trust in predictions, in words. Pure. */

import type { Outcome, Trust, TrustVerdict } from "@/api/types";
import { figure, signed } from "@/lib/format";
import type { ShapeName } from "@/ui/marks";

/** Predictors as a person calls them. */
export const PREDICTORS: Readonly<Record<string, string>> = {
  octans: "Octans",
  "octans-lms": "Octans, least mean squares",
  curves: "pressure curves",
  "time-sharing": "time sharing",
  "zero-drop": "null: no drop",
  "mean-drop": "null: mean drop",
  "linear-references": "null: linear in references",
};

export const VERDICTS: Readonly<Record<TrustVerdict, { word: string; shape: ShapeName; tone: string }>> = {
  trusted: { word: "trusted", shape: "ok", tone: "" },
  distrusted: { word: "distrusted", shape: "warn", tone: "warn" },
  untested: { word: "untested", shape: "idle", tone: "t3" },
};

export function predictorName(key: string): string {
  return PREDICTORS[key] ?? key;
}

/** Of several predictors that are trusted differently, the one that plans rest on comes first. */
export function byWeight(trusts: readonly Trust[]): readonly Trust[] {
  const weight = (trust: Trust) => (trust.predictor === "curves" ? 1 : 0);
  return [...trusts].sort((a, b) => weight(a) - weight(b) || a.predictor.localeCompare(b.predictor));
}

/** "−1.4 %": measured less predicted, of what was measured; as the trust meter takes it. */
export function errorPercent({ measured_mpps, predicted_mpps }: Outcome): number {
  return (100 * (measured_mpps - predicted_mpps)) / Math.max(measured_mpps, 1e-9);
}

/** True where the measured figure lies inside the predicted interval; null where there is none. */
export function insideInterval({ low_mpps, high_mpps, measured_mpps }: Outcome): boolean | null {
  if (low_mpps === null || high_mpps === null) return null;
  return low_mpps <= measured_mpps && measured_mpps <= high_mpps;
}

export function errorText(outcome: Outcome): string {
  const error = errorPercent(outcome);
  return Math.abs(error) > 999 ? `${error < 0 ? "−" : "+"}>999 %` : `${signed(Number(error.toFixed(1)))} %`;
}

/** "mean error 2.1 % of 5 %, bias +0.4 %". */
export function errorSummary({ error_percent, bias_percent, band_percent }: Trust): string | null {
  if (error_percent === null) return null;
  const bias = bias_percent === null ? "" : `, bias ${signed(Number(bias_percent.toFixed(1)))} %`;
  return `mean error ${figure(Number(error_percent.toFixed(1)))} %, trusted up to ${figure(band_percent)} %${bias}`;
}

/** Trust in predictions, in words. Pure. */

import type { ChainPrediction, Outcome, Trust, TrustVerdict } from "@/api/types";
import { differenceText, percentOfPredicted } from "@/lib/difference";
import { percent, signed, tick } from "@/lib/format";
import type { ShapeName } from "@/ui/marks";

/** Predictors as a person calls them. */
export const PREDICTORS: Readonly<Record<string, string>> = {
  octans: "Octans",
  "octans-lms": "Octans, least mean squares",
  curves: "pressure curves",
  "gaussian-process": "Gaussian process",
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

type IntervalSource = NonNullable<ChainPrediction["interval_source"]>;

/** Where the interval of a prediction comes from. */
export const INTERVALS: Readonly<Record<IntervalSource, string>> = {
  "held-out": "95 %, from held-out mixes",
  outcomes: "95 %, from earlier predictions on this host model",
  spare: "all of its offer",
};

/** "95 %, from held-out mixes: of nids; router, 3.1 times as quick as the slowest, has none"; empty without an interval. */
export function intervalText({
  interval_source: source,
  interval_note: note,
}: Pick<ChainPrediction, "interval_source" | "interval_note">): string {
  return source ? [INTERVALS[source], note].filter(Boolean).join(": ") : "";
}

/** A model that was shipped, and never fitted, gives assumed figures. */
export function originOf(version: string): "assumed" | "predicted" {
  return version.startsWith("assumed-") ? "assumed" : "predicted";
}

export function predictorName(key: string): string {
  return PREDICTORS[key] ?? key;
}

/** What they predict is tested beside what plans show. */
const BESIDE: ReadonlySet<string> = new Set(["curves", "gaussian-process"]);

/** Of several predictors that are trusted differently, the one that plans rest on comes first. */
export function byWeight(trusts: readonly Trust[]): readonly Trust[] {
  const weight = (trust: Trust) => (BESIDE.has(trust.predictor) ? 1 : 0);
  return [...trusts].sort((a, b) => weight(a) - weight(b) || a.predictor.localeCompare(b.predictor));
}

/** What was predicted beside what was measured: of a chain, or of the model that an outcome tests. */
export interface Comparison {
  readonly predicted_mpps: number;
  readonly low_mpps?: number | null;
  readonly high_mpps?: number | null;
  readonly measured_mpps: number;
}

/** A measurement that tests a model. */
export interface ModelTest extends Comparison {
  readonly key: string;
  readonly chain: string;
}

/** Those of the outcomes that trust in this model rests on: where another NF limits a chain, they test its model. */
export function testsOf(
  { nf_type, predictor, version }: Pick<Trust, "nf_type" | "predictor" | "version">,
  outcomes: readonly Outcome[],
): readonly ModelTest[] {
  return outcomes
    .filter((outcome) => outcome.predictor === predictor)
    .flatMap(({ id, chain, measured_mpps, judged }) =>
      judged
        .filter((model) => model.counts && model.nf_type === nf_type && model.version === version)
        .map((model) => ({ ...model, key: `${id} ${model.nf_id}`, chain, measured_mpps })),
    );
}

/** The NF that limited the chain, and how that is known: null by measurement where nothing spoke against one. */
export function limitOfOutcome({ chain, nf_id, limited_by, judged }: Outcome) {
  const name = (id: string) => id.slice(chain.length + 1);
  const predicted = name(nf_id);
  const measured = limited_by ? name(limited_by.nf_id) : null;
  const tested = judged.filter(({ counts }) => counts).map(({ nf_type }) => nf_type);
  return { predicted, measured, differs: measured !== null && measured !== predicted, tested: [...new Set(tested)] };
}

/** True where the measured figure lies inside the predicted interval; null where there is none. */
export function insideInterval({ low_mpps, high_mpps, measured_mpps }: Comparison): boolean | null {
  if (low_mpps == null || high_mpps == null) return null;
  return low_mpps <= measured_mpps && measured_mpps <= high_mpps;
}

/** "−1.4 %"; in Mpps where nothing was predicted. */
export function errorText({ measured_mpps, predicted_mpps }: Comparison): string {
  const error = percentOfPredicted(measured_mpps, predicted_mpps);
  if (error === null) return `${signed(measured_mpps)} Mpps`;
  return error > 999 ? "+>999 %" : `${differenceText(error)} %`;
}

/** "trusted up to an error of 5 %; chains carry 0.4 % more than predicted on average". */
export function bandText({ bias_percent, band_percent }: Trust): string {
  const band = `trusted up to an error of ${tick(band_percent)} %`;
  if (bias_percent === null) return band;
  const word = bias_percent < 0 ? "less" : "more";
  return `${band}; chains carry ${percent(Math.abs(bias_percent))} % ${word} than predicted on average`;
}

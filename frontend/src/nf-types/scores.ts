/** What a predictor's scores are read against. Pure. */

import type { ModelVersion, ValidationScore } from "@/api/types";
import { figure, percent } from "@/lib/format";

const NULLS: ReadonlySet<string> = new Set(["zero-drop", "mean-drop", "linear-references"]);

/** A predictor that knows nothing of caches: a better one must beat it. */
export function isNull(predictor: string): boolean {
  return NULLS.has(predictor);
}

/** The one that errs least. */
export function bestOf(scores: readonly ValidationScore[]): ValidationScore | undefined {
  return scores
    .filter(({ error_points }) => error_points !== null)
    .reduce<ValidationScore | undefined>(
      (best, score) => (best && (best.error_points ?? 0) <= (score.error_points ?? 0) ? best : score),
      undefined,
    );
}

/** Of a version in one line: its own predictor, the other one, and the best null model; on held-out mixes. */
export interface Brief {
  readonly octans: string;
  readonly curves: string;
  readonly nulls: string;
  readonly coverage: string;
  readonly width: string;
}

export function briefOf({ scores }: Pick<ModelVersion, "scores">): Brief {
  const mixes = scores.filter(({ split }) => split === "mix");
  const of = (predictor: string) => mixes.find((score) => score.predictor === predictor);
  const octans = of("octans");
  return {
    octans: figure(octans?.error_points),
    curves: figure(of("curves")?.error_points),
    nulls: figure(bestOf(mixes.filter(({ predictor }) => isNull(predictor)))?.error_points),
    coverage: percent(octans?.coverage_percent),
    width: figure(octans?.median_width_points),
  };
}

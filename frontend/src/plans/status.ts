/** What is known about a plan's quality, in words. Pure. */

import type { ChainPrediction, Doubt, Evidence, HostEvidence, ModelUse } from "@/api/types";
import { percent } from "@/lib/format";

type Status = Evidence["status"];

/** How far the score may be from the best, relative to the bound; null without a bound (Evidence.gap). */
export function gapOf(evidence: { score: number | null; bound: number | null }): number | null {
  const { score, bound } = evidence;
  if (score === null || bound === null) return null;
  return Math.max(0, bound - score) / Math.max(Math.abs(bound), 1e-12);
}

/** "0 %", "0.4 %", "<0.01 %". */
export function gapText(gap: number): string {
  const value = gap * 100;
  if (value === 0) return "0 %";
  if (value < 0.01) return "<0.01 %";
  return value < 0.095 ? `${value.toFixed(2)} %` : `${percent(value)} %`;
}

/** Every host's optimum is proved, but on the hosts that a search chose for the chains. */
export function isProvedByHost({ status, hosts }: Pick<Evidence, "status" | "hosts">): boolean {
  return status === "feasible" && hosts.length > 1 && hosts.every((host) => host.status === "optimal");
}

/** How far the models that a plan rests on were relied on when it was made. */
export interface Doubts {
  readonly distrusted: readonly ModelUse[];
  /** Never tested, the assumed ones among them. */
  readonly untested: readonly ModelUse[];
  /** No model of it was ever tested, or none predicts anything. */
  readonly wholly: boolean;
}

export function doubtsOf({ models, hosts }: Pick<Evidence, "models" | "hosts">): Doubts {
  const untested = models.filter(({ trust }) => (trust ?? "untested") === "untested");
  // A host that is left as it is has been reckoned with, too, by models that the plan does not name.
  const unpredicted = hosts.every(({ trusted }) => !trusted) && (hosts.length > 0 || models.length === 0);
  return {
    distrusted: models.filter(({ trust }) => trust === "distrusted"),
    untested,
    wholly: unpredicted || (models.length > 0 && untested.length === models.length),
  };
}

/** Why an optimum of the whole plan is not called so; null where it may be. */
export function doubtOf(evidence: Pick<Evidence, "models" | "hosts">): Doubt | null {
  const { distrusted, wholly } = doubtsOf(evidence);
  return distrusted.length > 0 ? "distrusted" : wholly ? "untested" : null;
}

/** The same of one host. Plans of an earlier version say only of the whole that nothing was tested. */
export function doubtOfHost({ doubt }: Pick<HostEvidence, "doubt">, plan: Doubt | null): Doubt | null {
  return doubt ?? (plan === "untested" ? plan : null);
}

const WORDS = { optimal: "optimal", feasible: "feasible", infeasible: "does not fit", as_ordered: "as ordered" };

/** How good a plan is, in a word or few: what is optimal by models that were never tested, or did not hold, is not
 * called so. Commands say the same (sextant_domain.plans.verdict); both are held to docs/contracts/verdicts.json. */
export function verdictText(status: Status, doubt: Doubt | null): string {
  return status === "optimal" && doubt !== null ? `best under ${doubt} models` : WORDS[status];
}

export type PlanPredictor = NonNullable<HostEvidence["predictor"]>;

/** Whose figures they are: "by pressure curves". */
export const PREDICTOR_WORDS: Readonly<Record<PlanPredictor, string>> = {
  octans: "Octans' equations",
  curves: "pressure curves",
  "gaussian-process": "a Gaussian process",
};

/** The predictor that chose a chain's place and its figures; null where that is the one of the plan's (ChainPrediction.by_chooser). */
export function chooserOf({
  by_curves: curves,
  by_process: process,
}: Pick<ChainPrediction, "by_curves" | "by_process">) {
  if (process) return { by: PREDICTOR_WORDS["gaussian-process"], figures: process };
  return curves ? { by: PREDICTOR_WORDS.curves, figures: curves } : null;
}

/** By whose figures a plan was placed; none where nothing was predicted (Evidence.predictors). */
export function predictorsOf({ hosts }: Pick<Evidence, "hosts">): readonly PlanPredictor[] {
  const used = hosts.filter(({ trusted, algorithm }) => trusted && algorithm !== null);
  return (["octans", "curves", "gaussian-process"] as const).filter((one) =>
    used.some(({ predictor }) => (predictor ?? "octans") === one),
  );
}

/** " under Octans' equations"; empty where nothing was predicted. */
export function underText(predictors: readonly PlanPredictor[]): string {
  const words = predictors.map((one) => PREDICTOR_WORDS[one]);
  return words.length > 0
    ? ` under ${[words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" and ")}`
    : "";
}

/** The same with what is proved, and of whose figures: "optimal under Octans' equations, proved". Commands say the same;
 * both are held to docs/contracts/proofs.json. */
export function proofText(status: Status, doubt: Doubt | null, predictors: readonly PlanPredictor[]): string {
  if (status === "optimal" && doubt === null) return `optimal${underText(predictors)}, proved`;
  return status === "feasible" ? `best found${underText(predictors)}` : verdictText(status, doubt);
}

/** And how good that is: "best found under pressure curves, within 0.4 % of the bound". */
export function statusText(
  status: Status,
  gap: number | null,
  doubt: Doubt | null,
  predictors: readonly PlanPredictor[],
): string {
  const proof = proofText(status, doubt, predictors);
  if (status !== "feasible") return proof;
  if (gap === null) return `${proof}, no bound known`;
  return gap === 0 ? `${proof}, meets the bound` : `${proof}, within ${gapText(gap)} of the bound`;
}

/** Where every host's optimum is proved, the choice of hosts is not. */
export function byHostText(doubt: Doubt | null, predictors: readonly PlanPredictor[]): string {
  const under = doubt === null ? underText(predictors) : "";
  return `every host ${verdictText("optimal", doubt)}${under}, choice of hosts not proved`;
}

/** Which plan of a comparison is best, and how far the others are from it. Pure. */

import type { ComparedPlan, PlanBrief } from "@/api/types";

/** Scores that differ by less are the same: sums of floats in another order. */
const SAME = 1e-9;

export function bestScore(plans: readonly ComparedPlan[]): number | null {
  const scores = plans.flatMap(({ score }) => score ?? []);
  return scores.length > 0 ? Math.max(...scores) : null;
}

/** How much less than the best, as a number of 0 or below; null while there is no score. */
export function behind(plan: ComparedPlan, best: number | null): number | null {
  if (best === null || plan.score === null || plan.score === undefined) return null;
  const difference = plan.score - best;
  return Math.abs(difference) <= SAME * Math.max(1, Math.abs(best)) ? 0 : difference;
}

/** What the stream knows of a plan that is still being made is newer than what was fetched. */
export function withLive(plan: ComparedPlan, brief: PlanBrief | undefined): ComparedPlan {
  if (!brief || plan.state !== "planning") return plan;
  const progress = brief.progress;
  return {
    ...plan,
    state: brief.state,
    bound: plan.bound ?? progress?.bound ?? null,
    evaluations: plan.evaluations ?? progress?.evaluations ?? null,
    seconds: plan.seconds ?? progress?.seconds ?? null,
  };
}

/** The ends of the plot's axis: from the least score to the greatest bound, with some room. */
export function plotRange(plans: readonly ComparedPlan[]): { low: number; high: number } | null {
  const scores = plans.flatMap(({ score }) => score ?? []);
  if (scores.length < 2) return null;
  const most = Math.max(...scores, ...plans.flatMap(({ bound, score }) => (score == null ? [] : (bound ?? []))));
  const least = Math.min(...scores);
  const room = Math.max((most - least) * 0.08, Math.abs(most) * 1e-6, 1e-9);
  return { low: least - room, high: most + room };
}

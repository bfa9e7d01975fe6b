/** Which plan of a comparison is best, and how far the others are from it. Pure. */

import type { ComparedPlan, PlanBrief } from "@/api/types";

/** Scores that differ by less are the same: sums of floats in another order. */
const SAME = 1e-9;

/** The engine's order of aims: most value placed, hence least left out; then the highest score. */
export function bestOf(plans: readonly ComparedPlan[]): ComparedPlan | null {
  const made = plans.filter(({ score }) => score != null);
  const least = Math.min(...made.map(leftOut));
  const rivals = made.filter((plan) => same(leftOut(plan), least));
  return rivals.reduce<ComparedPlan | null>(
    (best, plan) => (best === null || (plan.score ?? 0) > (best.score ?? 0) ? plan : best),
    null,
  );
}

/** As good as the best: the same value placed, and the same score. */
export function isBest(plan: ComparedPlan, best: ComparedPlan | null): boolean {
  return best !== null && same(leftOut(plan), leftOut(best)) && behind(plan, best) === 0;
}

/** Summed value of the chains that do not fit. */
export function leftOut(plan: ComparedPlan): number {
  return plan.rejected_value;
}

/** Score less that of the best; above 0 where more value is left out for it. Null while there is no score. */
export function behind(plan: ComparedPlan, best: ComparedPlan | null): number | null {
  if (best?.score == null || plan.score == null) return null;
  return same(plan.score, best.score) ? 0 : plan.score - best.score;
}

function same(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME * Math.max(1, Math.abs(b));
}

/** What the stream reports of a plan that is still being made is newer than what was fetched. */
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

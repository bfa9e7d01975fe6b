/** What is known of a plan's quality, in words. Pure. */

import type { Evidence, ModelUse } from "@/api/types";
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

/** What is optimal by models that were never tested, or did not hold, is not called so; null where it may be. */
export function doubtText(evidence: Pick<Evidence, "status" | "models" | "hosts">): string | null {
  if (evidence.status !== "optimal") return null;
  const { distrusted, wholly } = doubtsOf(evidence);
  if (distrusted.length > 0) return "best under distrusted models";
  return wholly ? "best under untested models" : null;
}

/** "optimal, proved", "best found, within 0.4 % of the bound". */
export function statusText(status: Status, gap: number | null): string {
  switch (status) {
    case "optimal":
      return "optimal, proved";
    case "feasible":
      if (gap === null) return "best found, no bound known";
      return gap === 0 ? "best found, meets the bound" : `best found, within ${gapText(gap)} of the bound`;
    case "infeasible":
      return "does not fit";
    case "as_ordered":
      return "as ordered";
  }
}

/** The same for a table's cell, where the gap has a column of its own. */
export function shortStatus(status: Status): string {
  return { optimal: "optimal", feasible: "feasible", infeasible: "does not fit", as_ordered: "as ordered" }[status];
}

/** Whether a plan may be applied, and if not, why: in words for the disabled button. Pure. */

import type { PlanIntent } from "@/api/actions";
import type { HostView, Plan, PlanBody, PlanBrief, PlanState } from "@/api/types";
import { count } from "@/lib/format";

const STATE_REASONS: Record<PlanState, string | null> = {
  planning: "The plan is still being made.",
  proposed: null,
  applying: "The plan is being applied.",
  applied: "The plan was applied.",
  superseded: "It is superseded: the fleet has changed since it was made. Plan again.",
  rejected: "The plan was rejected.",
  failed: "The plan failed.",
};

/** Decided for good: nothing is left to apply or to reject. */
export function isDecided(plan: { state: PlanState }): boolean {
  return plan.state === "applied" || plan.state === "rejected" || plan.state === "failed";
}

/** A plan on a snapshot file: its hosts are not those of this fleet, even where their names are. */
export function isStudy(plan: { source?: Plan["source"] }): boolean {
  return plan.source === "file";
}

/** A plan on the fleet as it would be, if what it assumes were so. */
export function isPreview(plan: { source?: Plan["source"] }): boolean {
  return plan.source === "preview";
}

/** Made to be looked at: null where it may be applied. */
export function neverApplied(plan: { source?: Plan["source"] }): string | null {
  if (isStudy(plan)) return "Study on a snapshot file: it cannot be applied.";
  return isPreview(plan) ? "A preview of the fleet as it would be: it cannot be applied." : null;
}

/** Somebody is waited for. A study is never applied, and one of a comparison's plans is chosen on its page. */
export function isToReview(plan: PlanBrief): boolean {
  return plan.state === "proposed" && neverApplied(plan) === null && plan.comparison_id == null;
}

/** A host that is ordered again what it was ordered has no change to list. */
export function doesSomething(body: PlanBody): boolean {
  return body.changes.length + body.adjustments.length > 0 || (body.intent.kind === "align" && body.target.length > 0);
}

/** "3 changes"; of a host that is ordered again what it was ordered, that. */
export function effectText(body: PlanBody): string {
  const changes = body.changes.length + body.adjustments.length;
  return changes === 0 && doesSomething(body) ? "the same order" : count(changes, "change");
}

export function applyReason(plan: Plan): string | null {
  const never = neverApplied(plan);
  if (never) return never;
  const byState = STATE_REASONS[plan.state];
  if (byState) return byState;
  if (!plan.body || !plan.digest) return "The plan has no content.";
  if (!doesSomething(plan.body)) return "The plan changes nothing: there is nothing to apply.";
  return null;
}

export interface Moved {
  readonly host: string;
  readonly expected: number;
  readonly actual: number;
}

/** Hosts whose generation is another than the plan was made for: applying will be refused. */
export function movedHosts(plan: Plan, hosts: ReadonlyMap<string, HostView>): Moved[] {
  if (neverApplied(plan)) return [];
  return (plan.body?.base ?? []).flatMap(({ host, generation }) => {
    const actual = hosts.get(host)?.desired_generation;
    return actual === undefined || actual === generation ? [] : [{ host, expected: generation, actual }];
  });
}

/** Why a superseded plan is: hosts that were ordered otherwise since, or what else it was made for. */
export function supersededText(moved: readonly Moved[]): string {
  const named = moved
    .slice(0, NAMED)
    .map(({ host, expected, actual }) => `${host} (generation ${expected} → ${actual})`);
  const others = moved.length > NAMED ? [count(moved.length - NAMED, "more host")] : [];
  if (named.length > 0) return `${[...named, ...others].join(", ")} changed since it was made`;
  return "Its chain, the chain's settings or its models have changed since it was made";
}

/** Hosts that are named; the rest is a number. */
const NAMED = 3;

/** Why the same cannot be planned again here. */
export function againReason(plan: Plan): string | null {
  if (isStudy(plan)) return "Study on a snapshot file: compare algorithms on that file again.";
  if (plan.intent.kind === "adjust") return "Settings are changed on the chain's page.";
  if (plan.intent.kind === "align") return "Drift is compared anew on the host's page.";
  return plan.intent.kind === "remove" ? "A chain is removed on its own page." : null;
}

/** What planning again asks for: a removal, or a change of settings, is asked for on the chain's page. */
export function intentAgain({ intent }: Plan): PlanIntent | null {
  return intent.kind === "remove" || intent.kind === "adjust" || intent.kind === "align" ? null : intent;
}

/** What plans are about, in words. Pure. */

import type { Plan, PlanBrief } from "@/api/types";
import { count } from "@/lib/format";

export function subjectOf(plan: Plan): string {
  const { intent } = plan;
  switch (intent.kind) {
    case "place":
      return `Place ${intent.chain}`;
    case "remove":
      return `Remove ${intent.chain}`;
    case "migrate":
      return `Move ${intent.nf_id} to ${intent.host} core ${intent.core}`;
    case "replace":
      return intent.host ? `Re-place ${intent.host}` : "Re-place the fleet";
    case "restore":
      return `Undo operation ${intent.operation_id}`;
    case "adjust":
      return `Adjust ${intent.chain}`;
    case "resources":
      return `Resources of ${resourcesOf(Object.keys(intent.resources))}`;
  }
}

function resourcesOf(nfs: readonly string[]): string {
  return nfs.length === 1 ? (nfs[0] ?? "") : count(nfs.length, "NF");
}

const KINDS: Record<string, string> = {
  place: "Place",
  remove: "Remove",
  migrate: "Move",
  replace: "Re-place",
  adjust: "Adjust",
  resources: "Resources of",
  restore: "Undo",
};

export function briefSubject(plan: PlanBrief): string {
  return `${KINDS[plan.kind] ?? plan.kind} ${plan.subject}`;
}

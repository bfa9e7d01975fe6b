/** What plans are about, in words. Pure. */

import type { Assumption, Plan, PlanBrief } from "@/api/types";
import { count } from "@/lib/format";

export function subjectOf(plan: Plan): string {
  const { intent } = plan;
  switch (intent.kind) {
    case "place":
      return `Place ${intent.chain}${moreText(intent.more)}${assumedText(intent.assume)}`;
    case "remove":
      return `Remove ${intent.chain}`;
    case "migrate":
      return `Move ${intent.nf_id} to ${intent.host} core ${intent.core}`;
    case "relocate":
      return `Move ${intent.chain} to ${intent.host}${exchangedText(intent.exchange)}`;
    case "drain":
      return `Drain ${intent.host}`;
    case "replace":
      return `Re-place ${intent.host ?? "the fleet"}${keptText(intent.keep)}`;
    case "restore":
      return `Undo operation ${intent.operation_id}`;
    case "adjust":
      return `Adjust ${intent.chain}`;
    case "align":
      return intent.action === "repair" ? `Order ${intent.host} again` : `Accept what ${intent.host} runs`;
    case "lanes":
      return `Carry ${intent.chain} in ${intent.weights.length === 1 ? "one lane" : `${intent.weights.length} lanes`}`;
    case "resources":
      return `Resources of ${resourcesOf(Object.keys(intent.resources ?? {}), Object.keys(intent.chains ?? {}))}`;
  }
}

/** ", as if edge-1 were not cordoned"; nothing of plans that assume nothing. */
export function assumedText(assume: readonly Assumption[] | undefined): string {
  return assume === undefined || assume.length === 0 ? "" : `, as if ${assume.map(assumptionText).join(" and ")}`;
}

function assumptionText({ kind, name }: Assumption): string {
  switch (kind) {
    case "up":
      return `${name} were up`;
    case "uncordoned":
      return `${name} were not cordoned`;
    case "entry":
      return `it entered and left at ${name}`;
    case "removed":
      return `${name} were removed`;
    case "without":
      return `it did not need ${name}`;
    case "together":
      return `it were not in anti-affinity group ${name}`;
  }
}

/** Left out of plans that place one chain. */
function moreText(more: readonly string[] | undefined): string {
  return more === undefined || more.length === 0
    ? ""
    : ` and ${more.length} more ${more.length === 1 ? "chain" : "chains"}`;
}

/** Left out of plans that move one chain alone. */
function exchangedText(exchange: readonly string[] | undefined): string {
  return exchange === undefined || exchange.length === 0 ? "" : ` in exchange for ${exchange.join(", ")}`;
}

/** Left out of plans that keep no chain where it runs. */
function keptText(keep: readonly string[] | undefined): string {
  return keep === undefined || keep.length === 0 ? "" : `, keeping ${keep.join(", ")}`;
}

function resourcesOf(nfs: readonly string[], chains: readonly string[]): string {
  const [first, ...more] = [...chains, ...nfs];
  if (first !== undefined && more.length === 0) return first;
  const counted = [chains.length > 0 && count(chains.length, "chain"), nfs.length > 0 && count(nfs.length, "NF")];
  return counted.filter(Boolean).join(" and ");
}

const KINDS: Record<string, string> = {
  place: "Place",
  remove: "Remove",
  migrate: "Move",
  relocate: "Move to another host:",
  drain: "Drain",
  replace: "Re-place",
  adjust: "Adjust",
  resources: "Resources of",
  lanes: "Lanes of",
  restore: "Undo",
  align: "Drift:",
};

export function briefSubject(plan: PlanBrief): string {
  return `${KINDS[plan.kind] ?? plan.kind} ${plan.subject}`;
}

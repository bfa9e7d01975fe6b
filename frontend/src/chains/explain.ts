/** A chain as it runs against what its plan predicted: how it stands, and what an operator may do about it. Pure. */

import type { ChainPrediction, ChainView, Interference, PlanBody, Trust, Victim } from "@/api/types";
import { chainOfNf, lossOf } from "@/interference/causes";
import { count } from "@/lib/format";

/** A chain that lacks more than this share of what it is offered does not carry it; as outcomes are judged. */
const LOST = 0.01;

export type Standing =
  | { readonly kind: "no-data" }
  /** Nothing is predicted of it; `why` as the plan says. */
  | { readonly kind: "not-predicted"; readonly why: string }
  /** It carries all it is offered, which is less than it was predicted to be able to carry. */
  | { readonly kind: "not-tested"; readonly capacity: number }
  | {
      readonly kind: "tested";
      readonly measured: number;
      readonly predicted: number;
      /** Measured less predicted, Mpps. */
      readonly difference: number;
      /** Of what was measured, as the trust meter counts; null where nothing arrives. */
      readonly percent: number | null;
      /** Null without an interval. */
      readonly inside: boolean | null;
    };

export function standingOf(
  { sample, paused }: { sample: ChainView["sample"]; paused: boolean },
  prediction: ChainPrediction | undefined,
): Standing {
  if (!sample || paused) return { kind: "no-data" };
  if (!prediction) return { kind: "not-predicted", why: "no plan holds a prediction of it" };
  const { throughput_mpps: predicted, low_mpps: low, high_mpps: high } = prediction;
  if (predicted === null) return { kind: "not-predicted", why: prediction.note ?? "no model holds here" };
  const { delivered_mpps: measured, offered_mpps: offered } = sample;
  const capacity = prediction.capacity_mpps ?? predicted;
  if (measured >= offered * (1 - LOST) && offered < capacity) return { kind: "not-tested", capacity };
  const bounds = low != null && high != null;
  return {
    kind: "tested",
    measured,
    predicted,
    difference: measured - predicted,
    percent: measured > 0 ? (100 * (measured - predicted)) / measured : null,
    inside: bounds ? low <= measured && measured <= high : null,
  };
}

/** What the NF that limits it loses to NFs of other chains and of its own, greatest first, Mpps. */
export function takersOf(victim: Victim | null): readonly { nf: string; chain: string; lost: number }[] {
  return (victim?.causes ?? [])
    .flatMap(({ kind, nf_id, lost_mpps }) =>
      kind === "neighbour" && nf_id && lost_mpps > 0 ? [{ nf: nf_id, chain: chainOfNf(nf_id), lost: lost_mpps }] : [],
    )
    .sort((a, b) => b.lost - a.lost);
}

/** So many models are named. */
const NAMED_MODELS = 2;

/** Why a model says something else than the plan did: "by fit-4 of nids, where that plan had assumed-1; with 2 NFs more
 * beside it on sim-2 since that plan". */
export function sinceThen(plan: Pick<PlanBody, "after" | "evidence"> | undefined, now: Interference): string {
  const parts = [otherModels(plan, now), otherNfs(plan, now)].filter(Boolean);
  return parts.length > 0 ? parts.join("; ") : `with NFs where they stand on ${now.host} now`;
}

function otherModels(plan: Pick<PlanBody, "evidence"> | undefined, now: Interference): string {
  const then = plan?.evidence.models ?? [];
  const changed = now.models.flatMap(({ nf_type, host_model, version }) => {
    const old = then.find((each) => each.nf_type === nf_type && each.host_model === host_model)?.version;
    return old && old !== version ? [`${version} of ${nf_type}, where that plan had ${old}`] : [];
  });
  const more = changed.length - NAMED_MODELS;
  if (changed.length === 0) return "";
  return `by ${changed.slice(0, NAMED_MODELS).join(", ")}${more > 0 ? ` and ${count(more, "other model")}` : ""}`;
}

function otherNfs(plan: Pick<PlanBody, "after"> | undefined, now: Interference): string {
  const placed = (plan?.after ?? []).filter(({ seat }) => seat.host === now.host).map(({ nf_id }) => nf_id);
  if (placed.length === 0) return "";
  const [then, there] = [new Set(placed), new Set(now.victims.map(({ nf_id }) => nf_id))];
  const come = [...there].filter((id) => !then.has(id)).length;
  const gone = [...then].filter((id) => !there.has(id)).length;
  const parts = [
    come > 0 ? `${count(come, "NF")} more beside it` : "",
    gone > 0 ? `${count(gone, "NF")} fewer` : "",
  ].filter(Boolean);
  return parts.length > 0 ? `with ${parts.join(" and ")} on ${now.host} since that plan` : "";
}

/** Less of its throughput is not worth a plan. */
const WORTH = 0.02;

export interface Remedy {
  readonly kind: "replace" | "profile" | "ask-less";
  /** Why it may help. */
  readonly why: string;
}

/** What may help, in the order to try it. */
export function remediesOf(facts: {
  standing: Standing;
  sample: ChainView["sample"];
  /** The NF that limits it, by the model of the host as it is now. */
  victim: Victim | null;
  prediction: Pick<ChainPrediction, "provenance"> | undefined;
  trust: Pick<Trust, "verdict" | "why"> | undefined;
}): readonly Remedy[] {
  const { standing, sample, victim, prediction, trust } = facts;
  const remedies: Remedy[] = [];
  const overloaded = sample !== null && sample.delivered_mpps < sample.offered_mpps * (1 - LOST);
  const lost = victim ? lossOf(victim) : 0;
  if (overloaded && victim && lost > WORTH * victim.ideal_mpps) {
    remedies.push({ kind: "replace", why: "its slowest NF loses to where it stands, by the model" });
  }
  if (standing.kind === "tested" && standing.inside === false) {
    remedies.push({ kind: "profile", why: "what is measured lies outside the predicted interval" });
  } else if (trust?.verdict === "distrusted") {
    remedies.push({ kind: "profile", why: trust.why });
  } else if (prediction?.provenance === "assumed") {
    remedies.push({ kind: "profile", why: "the prediction rests on assumed figures" });
  }
  if (overloaded) remedies.push({ kind: "ask-less", why: "it is offered more than it carries" });
  return remedies;
}

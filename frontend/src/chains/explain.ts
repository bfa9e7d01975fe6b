/** A chain as it runs against what its plan predicted: how it stands, and what an operator may do about it. Pure. */

import type {
  ChainPrediction,
  ChainView,
  Interference,
  PlanBody,
  StandingPrediction,
  Trust,
  Victim,
} from "@/api/types";
import { whyNotCompared } from "@/fleet/prediction-words";
import { differencePercent, isInside, originOf } from "@/fleet/predictions";
import { chainOfNf, lossOf } from "@/interference/causes";
import { count, figure } from "@/lib/format";
import { type Blame, isOverloaded } from "./blame";

export type Standing =
  | { readonly kind: "no-data" }
  /** Nothing is predicted of it; `why` as the plan says. */
  | { readonly kind: "not-predicted"; readonly why: string }
  /** What is measured says nothing of the prediction; `why` as the map says. */
  | { readonly kind: "not-tested"; readonly why: string }
  | {
      readonly kind: "tested";
      readonly measured: number;
      readonly predicted: number;
      /** Measured less predicted, Mpps. */
      readonly difference: number;
      /** Of what was predicted, as everywhere; null where that is nothing. */
      readonly percent: number | null;
      /** Null without an interval. */
      readonly inside: boolean | null;
    };

/** Why nothing is in force where a plan has predicted the chain. */
const NOT_IN_FORCE =
  "a prediction is in force from a few seconds after its plan was applied until its host gets another order or a chain there is paused";

/** The same figures as on the maps: what the plan predicts by which the host runs, beside the newest ten seconds.
 * `now`: null where nothing is in force, undefined while that is not known. */
export function standingOf(
  { sample, paused }: { sample: ChainView["sample"]; paused: boolean },
  planned: Pick<ChainPrediction, "throughput_mpps" | "note"> | undefined,
  now: StandingPrediction | null | undefined,
): Standing {
  if (!sample || paused || now === undefined) return { kind: "no-data" };
  if (now === null) {
    if (!planned) return { kind: "not-predicted", why: "no applied plan has a prediction for it" };
    const unknown = planned.throughput_mpps === null;
    return { kind: "not-predicted", why: unknown ? (planned.note ?? "no model applies here") : NOT_IN_FORCE };
  }
  const why = whyNotCompared(now);
  if (why !== null || now.measured_mpps == null) return { kind: "not-tested", why: why ?? "not measured" };
  const { measured_mpps: measured, predicted_mpps: predicted } = now;
  return {
    kind: "tested",
    measured,
    predicted,
    difference: measured - predicted,
    percent: differencePercent(now),
    inside: isInside(now),
  };
}

/** What is in force, in the words of the plan that predicted it: where the interval comes from only where it is the same. */
export function asPrediction(now: StandingPrediction, planned: ChainPrediction | undefined) {
  const { predicted_mpps: value, low_mpps: low = null, high_mpps: high = null } = now;
  const same = planned?.throughput_mpps != null && Math.abs(planned.throughput_mpps - value) <= SAME * value;
  return {
    throughput_mpps: value,
    low_mpps: low,
    high_mpps: high,
    provenance: originOf(now),
    note: null,
    predictor: planned?.predictor ?? null,
    interval_source: same ? (planned.interval_source ?? null) : null,
    interval_note: same ? (planned.interval_note ?? null) : null,
  };
}

/** Figures are reported with five digits: those that differ by less, relative, are the same. */
const SAME = 1e-4;

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
  return parts.length > 0 ? parts.join("; ") : `with NFs as they are placed on ${now.host} now`;
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
  /** What limits it: the measured NF first. */
  blame: Blame;
  prediction: Pick<ChainPrediction, "provenance"> | undefined;
  trust: Pick<Trust, "verdict" | "why"> | undefined;
}): readonly Remedy[] {
  const { standing, sample, blame, prediction, trust } = facts;
  const { victim } = blame;
  const remedies: Remedy[] = [];
  const overloaded = isOverloaded(sample);
  const lost = victim ? lossOf(victim) : 0;
  if (overloaded && victim && lost > WORTH * victim.ideal_mpps) {
    const name = victim.nf_id.slice(victim.chain.length + 1);
    remedies.push({
      kind: "replace",
      why: `${name} loses ${figure(lost)} Mpps because of its placement, according to the model`,
    });
  }
  if (blame.disagreement !== null) {
    remedies.push({ kind: "profile", why: `measurements show that it limits the chain; ${blame.disagreement}` });
  } else if (standing.kind === "tested" && standing.inside === false) {
    remedies.push({ kind: "profile", why: "the measurement is outside the predicted interval" });
  } else if (trust?.verdict === "distrusted") {
    remedies.push({ kind: "profile", why: trust.why });
  } else if (prediction?.provenance === "assumed") {
    remedies.push({ kind: "profile", why: "the prediction uses assumed figures" });
  }
  if (overloaded) remedies.push({ kind: "ask-less", why: "more is offered than it carries" });
  return remedies;
}

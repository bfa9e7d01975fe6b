/** What promoting a fit would change, before it is done. The console has the last word. Pure. */

import type { FitView, ModelVersion } from "@/api/types";

export interface Promotion {
  /** Models that plans would use, with the fit whose model they use now; null: assumed figures. */
  readonly gains: readonly { nfType: string; from: number | null }[];
  /** Models in use that would retire: of another metric or scale, their weights cannot be added to those of this fit. */
  readonly retires: readonly { nfType: string; from: number }[];
  /** Models of the fit that cannot be promoted, and why. */
  readonly leaves: readonly { nfType: string; why: string }[];
  /** Why it cannot be done; null: it can. */
  readonly refused: string | null;
}

export interface PromotionAsk {
  readonly view: FitView;
  /** Promoted models of the same host model. */
  readonly inUse: readonly ModelVersion[];
  /** Fits of those, as far as they are known. */
  readonly fitsInUse: ReadonlyMap<number, FitView>;
  /** Null: the whole fit. */
  readonly nfType: string | null;
}

export function promotionOf({ view, inUse, fitsInUse, nfType }: PromotionAsk): Promotion {
  const models = (view.fit?.models ?? []).filter((model) => nfType === null || model.nf_type === nfType);
  const leaves = models.flatMap((model) => {
    const why = whyNot(model);
    return why === null ? [] : [{ nfType: model.nf_type, why }];
  });
  const chosen = models.filter((model) => whyNot(model) === null);
  const names = new Set(chosen.map(({ nf_type }) => nf_type));
  const strangers = inUse.filter(
    (model) => !names.has(model.nf_type) && model.fit_id !== view.id && !sameScale(view, fitsInUse.get(model.fit_id)),
  );
  const current = (name: string) => inUse.find(({ nf_type }) => nf_type === name)?.fit_id ?? null;
  return {
    gains: chosen.map(({ nf_type }) => ({ nfType: nf_type, from: current(nf_type) })),
    retires: strangers.map(({ nf_type, fit_id }) => ({ nfType: nf_type, from: fit_id })),
    leaves,
    refused: refusal(chosen.length, leaves, nfType === null ? [] : strangers),
  };
}

/** Why no plan may use a model; null: one may. */
export function whyNot({ state, refusals = [], stale }: ModelVersion): string | null {
  if (state === "refused") return refusals.join("; ") || "it has no usable model";
  return stale ?? null;
}

function refusal(chosen: number, leaves: Promotion["leaves"], strangers: readonly ModelVersion[]): string | null {
  if (chosen === 0) return leaves[0]?.why ?? "the fit made no model";
  if (strangers.length === 0) return null;
  const others = strangers.map(({ nf_type, fit_id }) => `${nf_type} (fit ${fit_id})`).join(", ");
  return `Its metric and scale are not those of the models in use: ${others}. Promote the whole fit.`;
}

/** A fit that is not known counts as one of the same scale: the console will say otherwise. */
function sameScale(view: FitView, other: FitView | undefined): boolean {
  if (!view.fit || !other?.fit) return true;
  return view.fit.metric.used === other.fit.metric.used && view.fit.scale === other.fit.scale;
}

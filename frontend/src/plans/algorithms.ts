/** The engine's placement algorithms in an operator's words. Pure. */

import { DECLARED_ALGORITHMS } from "@/api/algorithms.gen";
import type { Algorithm } from "@/api/types";

export const AUTOMATIC = "automatic";

/** All that the engine declares, best first; plans and studies may name any of them. */
const ALL: readonly {
  readonly name: Algorithm;
  readonly law: string;
  readonly summary: string;
  readonly offered: boolean;
}[] = DECLARED_ALGORITHMS;

/** Those that operators are offered, in the order in which they are offered everywhere. */
export const ALGORITHMS: readonly { readonly key: Algorithm; readonly note: string }[] = ALL.filter(
  ({ offered }) => offered,
).map(({ name, summary }) => ({ key: name, note: summary }));

/** Beside every choice of algorithm: a proof is of the model, not of the host. */
export const BY_PREDICTION =
  "All algorithms except node_first, node_balance and the baselines of sfc2cpu optimise what the models predict. Where models are wrong, these may carry more than a proved optimum, as studies on the twin show. Compare them, and check the trust in the models.";

/** What a select offers: the engine's own choice first. */
export const ALGORITHM_CHOICES = [
  { key: AUTOMATIC, text: "automatic", note: "exact; anytime for hosts too large for it" },
  ...ALGORITHMS.map(({ key, note }) => ({ key, text: key, note })),
];

/** It moves NFs that run only if it is asked for moves; all others move as many as pay. */
export function movesOnlyIfAsked(algorithm: string): boolean {
  return ALL.some(({ name, law }) => name === algorithm && law === "sfc2cpu");
}

export function isAlgorithm(text: string): text is Algorithm {
  return ALL.some(({ name }) => name === text);
}

/** "automatic" where the choice was left to the engine. */
export function algorithmText(algorithm: Algorithm | null | undefined): string {
  return algorithm ?? AUTOMATIC;
}

/** The engine's placement algorithms in an operator's words. Pure. */

import type { Algorithm } from "@/api/types";

export const AUTOMATIC = "automatic";

/** Best first; the order in which they are offered everywhere. */
export const ALGORITHMS: readonly { readonly key: Algorithm; readonly note: string }[] = [
  { key: "exact", note: "proves the optimum of what is predicted; for hosts small enough" },
  { key: "anytime", note: "searches, and certifies how far the best may be off" },
  { key: "octans", note: "the paper's Algorithm 1 to the letter" },
  { key: "octans_extended", note: "Octans with prices, pins, taken cores and several ingresses" },
  { key: "brute", note: "tries every placement; for very small hosts" },
  { key: "node_first", note: "fills one node after another" },
  { key: "node_balance", note: "spreads NFs evenly over the nodes" },
];

/** Beside every choice of algorithm: a proof is of the model, not of the host. */
export const BY_PREDICTION =
  "All but node_first and node_balance place by what the models predict. Where models are off these two may carry more than a proven optimum, as studies on the twin show: compare them, and mind the trust in the models.";

/** What a select offers: the engine's own choice first. */
export const ALGORITHM_CHOICES = [
  { key: AUTOMATIC, text: "automatic", note: "exact; anytime for hosts too large for it" },
  ...ALGORITHMS.map(({ key, note }) => ({ key, text: key, note })),
];

export function isAlgorithm(text: string): text is Algorithm {
  return ALGORITHMS.some(({ key }) => key === text);
}

/** "automatic" where the choice was left to the engine. */
export function algorithmText(algorithm: Algorithm | null | undefined): string {
  return algorithm ?? AUTOMATIC;
}

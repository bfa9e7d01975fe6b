/** By what a training's games go, in words. Pure. */

import type { SchoolCurve, SchoolScenario } from "@/api/types";

/** "ideal model", "costs of edge-1, version 3"; of a file's own cost its first digits. */
export function gamesText({ cost }: Pick<SchoolCurve, "cost">): string {
  if (!cost) return "ideal model";
  if (cost.host === null) return `fitted cost ${cost.digest.replace("sha256:", "").slice(0, 8)}`;
  return `costs of ${cost.host}, version ${cost.version}`;
}

/** Likewise, as a file asks for it. */
export function askedText(cost: SchoolScenario["cost"]): string {
  if (!cost) return "the ideal model";
  return cost.host ? `costs of ${cost.host}, version ${cost.version}` : "a fitted cost";
}

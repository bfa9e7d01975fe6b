/** Names of all hosts: figures change ten times a second, names seldom, and a list of a thousand is not built for nothing. */

import type { LiveState } from "./state";
import { useLive } from "./store";

let known: { keys: readonly string[]; sorted: readonly string[] } = { keys: [], sorted: [] };

/** In order; the same array for as long as no host comes or goes. */
export function hostNames({ hosts }: Pick<LiveState, "hosts">): readonly string[] {
  const keys = [...hosts.keys()];
  const same = keys.length === known.keys.length && keys.every((key, index) => key === known.keys[index]);
  if (!same) known = { keys, sorted: keys.toSorted() };
  return known.sorted;
}

export function useHostNames(): readonly string[] {
  return useLive(hostNames);
}

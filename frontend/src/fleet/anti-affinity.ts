/** Chains that are kept apart: what is said of a group, and which of them stand together all the same. Pure. */

import type { ChainView } from "@/api/types";

export type Scope = "host" | "node";
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = { host: "a host", node: "a NUMA node" };

/** A chain of the same group, and the host, or the node of it, that both stand on although they must not. */
export interface StandsWith {
  readonly chain: string;
  readonly host: string;
  readonly node: number | null;
}

interface Standing {
  readonly chain: string;
  readonly scope: Scope;
  readonly nodes: ReadonlySet<number>;
}

/**
 * By chain, whom it stands with and must not. The API says so of one chain (`stands_with`), as it was when that chain
 * changed last; this is of now, whichever of the two has moved.
 */
export function standTogether(chains: Iterable<ChainView>): ReadonlyMap<string, readonly StandsWith[]> {
  const places = new Map<string, { host: string; standing: Standing[] }>();
  for (const { spec, placement } of chains) {
    const group = spec.anti_affinity;
    if (!group) continue;
    for (const host of new Set(placement.map(({ seat }) => seat.host))) {
      const nodes = new Set(placement.filter(({ seat }) => seat.host === host).map(({ seat }) => seat.node));
      const key = `${group.group}\n${host}`;
      const place = places.get(key) ?? { host, standing: [] };
      place.standing.push({ chain: spec.name, scope: group.scope ?? "host", nodes });
      places.set(key, place);
    }
  }
  const found = new Map<string, StandsWith[]>();
  for (const { host, standing } of places.values()) {
    for (const one of standing) {
      const others = standing.filter((other) => other !== one).flatMap((other) => shared(one, other, host));
      if (others.length > 0) found.set(one.chain, [...(found.get(one.chain) ?? []), ...others]);
    }
  }
  return found;
}

function shared(one: Standing, other: Standing, host: string): StandsWith[] {
  if (one.scope === "host" || other.scope === "host") return [{ chain: other.chain, host, node: null }];
  const nodes = [...one.nodes].filter((node) => other.nodes.has(node)).sort((a, b) => a - b);
  return nodes.map((node) => ({ chain: other.chain, host, node }));
}

/** "stands with web-b on edge-1, web-c on node 0 of edge-1" */
export function togetherWords(found: readonly StandsWith[]): string {
  const places = found.map(
    ({ chain, host, node }) => `${chain} on ${node === null ? host : `node ${node} of ${host}`}`,
  );
  return `stands with ${places.join(", ")}`;
}

/** Names of all groups, in order. */
export function groupNames(chains: Iterable<ChainView>): string[] {
  const names = [...chains].flatMap(({ spec }) => (spec.anti_affinity ? [spec.anti_affinity.group] : []));
  return [...new Set(names)].sort();
}

/** Tied NFs, one element of several chains: with whom each shares its core. Pure. */

import type { ChainView } from "@/api/types";

export function isTied({ spec }: ChainView): boolean {
  return spec.nfs.some(({ tied }) => tied != null);
}

/**
 * By NF, those of other chains that are one element with it on its host. The API says so of one chain (`tied_with`), as
 * it was when that chain changed last; this is of now, whichever of them came or moved.
 */
export function tiedWith(chains: Iterable<ChainView>): ReadonlyMap<string, readonly string[]> {
  const elements = new Map<string, string[]>();
  for (const { spec, placement } of chains) {
    const ties = new Map(spec.nfs.map((nf) => [`${spec.name}.${nf.name}`, nf.tied]));
    for (const { nf_id, seat } of placement) {
      const tie = ties.get(nf_id);
      if (tie == null) continue;
      const key = `${seat.host}\n${tie}`;
      elements.set(key, [...(elements.get(key) ?? []), nf_id]);
    }
  }
  const found = new Map<string, readonly string[]>();
  for (const nfs of elements.values()) {
    for (const nf of nfs) {
      const others = nfs.filter((other) => other !== nf).sort();
      if (others.length > 0) found.set(nf, others);
    }
  }
  return found;
}

/** "tied with mail.firewall"; with its tie where nobody shares it there; null of an NF without one. */
export function tiedWords(tie: string | null | undefined, others: readonly string[] | undefined): string | null {
  if (others !== undefined) return `tied with ${others.join(", ")}`;
  return tie == null ? null : `tie ${tie}`;
}

/** How many of a host's cache ways chains have of their own, as its agent reports it, and how many could be given. Pure. */

import type { HostView, NfView } from "@/api/types";

export interface GivenWays {
  readonly given: number;
  /** One way of each node stays with all others. */
  readonly most: number;
}

/** Null where nothing fresh is reported, or its caches are not divided. */
export function givenWaysOf(host: HostView | undefined, nfs: Iterable<NfView>): GivenWays | null {
  if (!host?.inventory || host.status !== "up") return null;
  const divided = host.inventory.nodes.filter(({ llc }) => llc?.ways != null);
  if (divided.length === 0) return null;
  const masks = new Map<number, number>();
  for (const { seat, sample } of nfs) {
    if (!sample) continue;
    masks.set(seat.node, (masks.get(seat.node) ?? 0) | (sample.llc_way_mask ?? 0));
  }
  const most = divided.reduce((sum, { llc }) => sum + Math.max(0, (llc?.ways ?? 1) - 1), 0);
  const given = divided.reduce((sum, { id }) => sum + bits(masks.get(id) ?? 0), 0);
  return { given, most };
}

/** Cores on which an NF carries packets now, of those that NFs can have; null where nothing fresh is reported. */
export function carryingCores(
  host: HostView | undefined,
  nfs: Iterable<NfView>,
): { carrying: number; of: number } | null {
  if (!host?.inventory || host.status !== "up") return null;
  const carrying = new Set<number>();
  for (const { seat, sample } of nfs) if (sample && sample.rx_mpps > 0) carrying.add(seat.core);
  return { carrying: carrying.size, of: host.inventory.cores.filter((core) => !core.reserved_for).length };
}

/** Masks have 32 bits. */
function bits(mask: number): number {
  let left = mask >>> 0;
  let found = 0;
  for (; left > 0; left &= left - 1, left >>>= 0) found += 1;
  return found;
}

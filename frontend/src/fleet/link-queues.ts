/** Queues of links, by the NF whose packets go on to another host. Pure. */

import type { ChainView } from "@/api/types";

/** The most packets that waited for the way on, as they themselves measured it; NFs whose packets go on to no other host,
 * or whose host cannot read that queue, are left out. */
export function linkQueues(chains: Iterable<ChainView>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { sample } of chains) {
    for (const hop of sample?.path ?? []) {
      if (hop.nf_id && hop.queue_packets != null) found.set(hop.nf_id, hop.queue_packets);
    }
  }
  return found;
}

export const NO_QUEUES: ReadonlyMap<string, number> = new Map();

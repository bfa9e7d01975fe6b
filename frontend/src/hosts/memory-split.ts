/** Who uses the memory bandwidth of a node, chain by chain, as counters show it. Pure. */

import type { HostView, NfView } from "@/api/types";
import { nodeOf } from "@/interference/counters";
import { type ChainPart, partsByChain } from "./core-time";
import type { Letters } from "./letters";

export interface MemorySplit {
  /** Bytes a second, at the node's controllers. */
  readonly total: number;
  /** Of the most they can do, in percent; null where the host does not know that. */
  readonly load: number | null;
  /** Bytes a second, by letter, then chains without one as one part. */
  readonly parts: readonly ChainPart[];
  /** What no NF's counters account for: packets that network interfaces write and read, and the system. */
  readonly rest: number;
}

/**
 * Null where the host does not report it. What NFs on other nodes take here is theirs only on a host of two nodes: with
 * more, counters say that it was remote, not where, and it counts as rest.
 */
export function memorySplit(host: HostView, node: number, nfs: Iterable<NfView>, letters: Letters): MemorySplit | null {
  const sample = nodeOf(host, node);
  if (!sample) return null;
  const nodes = new Map((host.inventory?.cores ?? []).map((core) => [core.id, core.node]));
  const pair = host.inventory?.nodes.length === 2;
  const parts = partsByChain(nfs, letters, ({ sample }) => {
    if (!sample) return 0;
    if (nodes.get(sample.core) === node) return sample.memory_local_bytes_per_s ?? 0;
    return pair ? (sample.memory_remote_bytes_per_s ?? 0) : 0;
  });
  const sum = parts.reduce((all, part) => all + part.amount, 0);
  const total = sample.memory_bytes_per_s;
  // NFs and controllers are counted apart, each with its error: the parts never exceed the whole.
  const fit = sum > total && sum > 0 ? total / sum : 1;
  return {
    total,
    load: sample.memory_load_percent ?? null,
    parts: parts.map((part) => ({ ...part, amount: part.amount * fit })),
    rest: Math.max(0, total - sum),
  };
}

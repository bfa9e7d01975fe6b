/** How much of a node's core time each chain takes, in cores. Pure. */

import type { HostView, NfView } from "@/api/types";
import type { Letters } from "./letters";

export interface ChainPart {
  /** Null: all chains without a letter. */
  readonly chain: string | null;
  readonly amount: number;
}

export interface CoreTime {
  /** In cores, by letter, then chains without one as one part. */
  readonly parts: readonly ChainPart[];
  /** Busy beyond what NFs took: the data plane's source and sink, the system, the console; and NFs in the kernel, whose
   * time is not measured. */
  readonly other: number;
  /** Null where the host's cores have no figures. */
  readonly busy: number | null;
  readonly cores: number;
}

export function coreTimeOf(host: HostView, node: number, nfs: Iterable<NfView>, letters: Letters): CoreTime {
  const cores = (host.inventory?.cores ?? []).filter((core) => core.node === node);
  const ids = new Set(cores.map(({ id }) => id));
  const samples = host.cores.filter(({ core }) => ids.has(core));
  const busy = samples.length > 0 ? samples.reduce((sum, { busy_percent }) => sum + busy_percent / 100, 0) : null;
  const parts = partsByChain(nfs, letters, ({ sample }) =>
    sample && ids.has(sample.core) ? (sample.cpu_percent ?? 0) / 100 : 0,
  );
  const all = parts.reduce((sum, part) => sum + part.amount, 0);
  return { parts, other: Math.max(0, (busy ?? 0) - all), busy, cores: cores.length };
}

/** Sums over the NFs of each chain, by letter, then chains without one together; those with nothing are left out. */
export function partsByChain(nfs: Iterable<NfView>, letters: Letters, amountOf: (nf: NfView) => number): ChainPart[] {
  const taken = new Map<string | null, number>();
  for (const nf of nfs) {
    const amount = amountOf(nf);
    if (amount <= 0) continue;
    const key = letters.has(nf.chain) ? nf.chain : null;
    taken.set(key, (taken.get(key) ?? 0) + amount);
  }
  const rank = (chain: string | null) => (chain === null ? "~" : (letters.get(chain) ?? "~"));
  return [...taken]
    .map(([chain, amount]) => ({ chain, amount }))
    .sort((a, b) => (rank(a.chain) < rank(b.chain) ? -1 : 1));
}

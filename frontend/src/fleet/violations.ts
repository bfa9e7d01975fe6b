/** Which chains miss their objectives, and which NF of each limits it, by measurement alone. */

import type { ChainView, NfView } from "@/api/types";

export interface Violation {
  readonly chain: ChainView;
  readonly kind: "throughput" | "latency";
  /** Null where no NF is to blame or none was measured. */
  readonly limiting: NfView | null;
}

export function isViolated(chain: ChainView): boolean {
  return chain.throughput_slo === "violated" || chain.latency_slo === "violated";
}

/** Violated chains, the most valuable shortfall first. */
export function violations(chains: Iterable<ChainView>, nfsOfChain: (chain: string) => readonly NfView[]): Violation[] {
  const found: Violation[] = [];
  for (const chain of chains) {
    if (!isViolated(chain)) continue;
    const kind = chain.throughput_slo === "violated" ? "throughput" : "latency";
    const limiting = isStarved(chain) ? null : limitingNf(nfsOfChain(chain.spec.name));
    found.push({ chain, kind, limiting });
  }
  return found.sort(
    (a, b) => shortfall(b.chain) - shortfall(a.chain) || (a.chain.spec.name < b.chain.spec.name ? -1 : 1),
  );
}

/** Less is offered than the objective asks for and nothing is lost: no NF limits this chain. */
export function isStarved(chain: ChainView): boolean {
  const floor = chain.spec.slo.min_throughput_mpps ?? 0;
  const { sample } = chain;
  return (
    chain.throughput_slo === "violated" && sample !== null && sample.offered_mpps < floor && sample.drop_mpps === 0
  );
}

function shortfall(chain: ChainView): number {
  const floor = chain.spec.slo.min_throughput_mpps ?? 0;
  const missing = Math.max(0, floor - (chain.sample?.delivered_mpps ?? 0));
  return missing * chain.spec.value;
}

/** The NF that loses most; where none loses any, the busiest. Null where nothing was measured. */
export function limitingNf(nfs: readonly NfView[]): NfView | null {
  let worst: NfView | null = null;
  for (const nf of nfs) {
    if (nf.sample && (worst?.sample == null || isWorse(nf.sample, worst.sample))) worst = nf;
  }
  return worst;
}

type Pressure = { drop_mpps: number; cpu_percent: number };

function isWorse(a: Pressure, b: Pressure): boolean {
  return a.drop_mpps === b.drop_mpps ? a.cpu_percent > b.cpu_percent : a.drop_mpps > b.drop_mpps;
}

/** Which chains miss their objectives, and which NF of each limits it, by measurement alone. */

import type { ChainView, NfSample, NfView } from "@/api/types";
import { figure } from "@/lib/format";
import { isStarved, type Limit, limitOf, nfName } from "./limit";

export interface Violation {
  readonly chain: ChainView;
  readonly kind: "throughput" | "latency";
  /** Null where no NF is to blame or none was measured. */
  readonly limit: Limit | null;
  /** Why no NF is; empty where one is. */
  readonly unblamed: string;
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
    const nfs = nfsOfChain(chain.spec.name);
    const limit = limitOf(chain, nfs);
    found.push({ chain, kind, limit, unblamed: limit ? "" : unblamedText(chain, nfs) });
  }
  return found.sort(
    (a, b) => shortfall(b.chain) - shortfall(a.chain) || (a.chain.spec.name < b.chain.spec.name ? -1 : 1),
  );
}

function shortfall(chain: ChainView): number {
  const floor = chain.spec.slo.min_throughput_mpps ?? 0;
  const missing = Math.max(0, floor - (chain.sample?.delivered_mpps ?? 0));
  return missing * chain.spec.value;
}

/** Whoever sends cannot help it while an NF does not run, be it that it is being started again. */
const DOWN: Record<NfSample["state"], string> = {
  crashed: "does not run",
  starting: "is being started",
  stopping: "is being stopped",
  running: "",
};

/** The first NF that does not run; one that crashed before others. */
export function downOf(nfs: readonly NfView[]): NfView | null {
  const down = nfs.filter(({ sample }) => sample !== null && sample.state !== "running");
  return down.find(({ sample }) => sample?.state === "crashed") ?? down[0] ?? null;
}

/** Why a violated chain has no NF to blame. */
export function unblamedText(chain: ChainView, nfs: readonly NfView[]): string {
  const { sample } = chain;
  const down = downOf(nfs);
  if (down)
    return `${nfName(down)} ${DOWN[down.sample?.state ?? "crashed"]}, so no packets pass it; see its host's page for the reason.`;
  if (isStarved(chain)) {
    return `Only ${figure(sample?.offered_mpps)} Mpps are offered, and none of them is lost: raise the traffic or lower the objective.`;
  }
  if (nfs.every((nf) => nf.sample === null)) return "None of its NFs reports figures; check its host.";
  if (chain.throughput_slo === "violated" && sample && sample.drop_mpps > 0) {
    return `None of its NFs drops packets: ${figure(sample.drop_mpps)} Mpps are lost before the first or after the last.`;
  }
  const reported = nfs.some((nf) => nf.sample?.ring_used_percent != null);
  return reported
    ? "None of its NFs drops packets or has packets waiting before it."
    : "None of its NFs drops packets, and its host does not report how full their rings are.";
}

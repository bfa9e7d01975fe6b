/** Which NF limits a chain, by what is measured of its NFs alone. Every page blames the one that is found here; outcomes
 * are judged by the same rule (`domain/src/sextant_domain/hosts/limits.py`). Pure. */

import type { ChainView, NfSample, NfView } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { lossPercent } from "./layers";
import type { Forecast } from "./predictions";

export interface Limit {
  readonly nf: NfView;
  /** It loses packets; packets stand before it up to the end of its ring; or most packets wait before it. */
  readonly by: "drops" | "ring" | "queue";
}

/** Of the packets that reach an NF: less lost is a burst, not a limit. */
const LOST_PERCENT = 0.1;
/** A ring that is so full has no room for the next burst. */
const FULL_PERCENT = 90;
/** Emptier rings keep nobody waiting. */
const QUEUE_PERCENT = 1;

/** Null where nothing that is measured speaks against one of them. A late chain also has an NF before which most wait. */
export function limitOf(chain: ChainView, nfs: readonly NfView[]): Limit | null {
  if (isStarved(chain)) return null;
  const limit = slowestOf(nfs);
  if (limit || chain.latency_slo !== "violated") return limit;
  const queue = greatest(nfs, ({ ring_used_percent: used }) => used ?? 0);
  return queue && ringOf(queue) >= QUEUE_PERCENT ? { nf: queue, by: "queue" } : null;
}

/** Less is offered than the objective asks for and nothing is lost: no NF limits this chain. */
export function isStarved(chain: ChainView): boolean {
  const floor = chain.spec.slo.min_throughput_mpps ?? 0;
  const { sample } = chain;
  return (
    chain.throughput_slo === "violated" && sample !== null && sample.offered_mpps < floor && sample.drop_mpps === 0
  );
}

/** The NF of one chain that does not keep up with what reaches it. */
export function slowestOf(nfs: readonly NfView[]): Limit | null {
  const losing = nfs.filter(({ sample }) => sample !== null && lossPercent(sample) >= LOST_PERCENT);
  const worst = greatest(losing, ({ drop_mpps }) => drop_mpps);
  if (worst) return { nf: worst, by: "drops" };
  // Where one is held up, those before it fill too: the last full ring is before the cause.
  const full = nfs.filter((nf) => ringOf(nf) >= FULL_PERCENT);
  const last = full.reduce<NfView | null>((a, b) => (a && a.position > b.position ? a : b), null);
  return last && { nf: last, by: "ring" };
}

/** The NF that a chain's difference belongs to: the one that is measured to limit it, else the one that was predicted to. */
export interface Blamed {
  readonly nfId: string;
  readonly by: "measured" | "predicted";
}

/** By chain: of the NFs of one host, since a prediction holds of chains on one host alone. */
export function blamedOn(nfs: Iterable<NfView>, forecast: Forecast | null | undefined): ReadonlyMap<string, Blamed> {
  const found = new Map<string, Blamed>();
  if (!forecast) return found;
  const byChain = new Map<string, NfView[]>();
  for (const nf of nfs) byChain.set(nf.chain, [...(byChain.get(nf.chain) ?? []), nf]);
  for (const [chain, { bottleneck }] of forecast.chains) {
    const limit = slowestOf(byChain.get(chain) ?? []);
    found.set(chain, limit ? { nfId: limit.nf.nf_id, by: "measured" } : { nfId: bottleneck, by: "predicted" });
  }
  return found;
}

/** "drops 2.1 of the 6.6 Mpps that reach it (32 %)"; without the NF's name. */
export function limitText({ nf: { sample }, by }: Limit): string {
  if (!sample) return "";
  switch (by) {
    case "drops": {
      const reach = sample.rx_mpps + sample.drop_mpps;
      return `drops ${figure(sample.drop_mpps)} of the ${figure(reach)} Mpps that reach it (${percent(lossPercent(sample))} %)`;
    }
    case "ring":
      return `does not keep up: the ring before it is ${percent(sample.ring_used_percent)} % full`;
    case "queue":
      return `makes packets wait longest: the ring before it is ${percent(sample.ring_used_percent)} % full`;
  }
}

/** "nids" of "web-edge.nids". */
export function nfName({ nf_id, chain }: Pick<NfView, "nf_id" | "chain">): string {
  return nf_id.slice(chain.length + 1);
}

function ringOf({ sample }: NfView): number {
  return sample?.ring_used_percent ?? 0;
}

function greatest(nfs: readonly NfView[], of: (sample: NfSample) => number): NfView | null {
  const value = ({ sample }: NfView) => (sample ? of(sample) : -1);
  return nfs.reduce<NfView | null>((a, b) => (b.sample && (a === null || value(b) > value(a)) ? b : a), null);
}

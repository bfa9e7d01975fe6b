/** What limits a chain: what is measured comes first, what the model expects stands beside it, and whether they agree. Pure. */

import type { ChainView, Interference, NfView, Victim } from "@/api/types";
import { type Limit, limitOf, nfName } from "@/fleet/limit";
import { downOf, unblamedText } from "@/fleet/violations";
import { bottleneckOf } from "@/interference/causes";
import { figure } from "@/lib/format";

export interface Blame {
  /** By measurement; null where it speaks against none. */
  readonly limit: Limit | null;
  /** The NF that is blamed: the measured one, else the one that is predicted to give least. Null where neither is known. */
  readonly nfId: string | null;
  /** What the model says of the NF that is blamed. */
  readonly victim: Victim | null;
  /** Where the model expects another NF to limit the chain. */
  readonly disagreement: string | null;
}

/** `planned`: the bottleneck that the plan names, where no model of the host says it. */
export function blameOf(
  chain: ChainView,
  nfs: readonly NfView[],
  interference: Interference | undefined,
  planned: string | null = null,
): Blame {
  const limit = limitOf(chain, nfs);
  const expected = interference ? bottleneckOf(interference, chain.spec.name) : null;
  if (!limit) return { limit, nfId: expected?.nf_id ?? planned, victim: expected, disagreement: null };
  const victim = interference?.victims.find(({ nf_id }) => nf_id === limit.nf.nf_id) ?? null;
  return { limit, nfId: limit.nf.nf_id, victim, disagreement: disagreementOf(limit, victim, expected, planned) };
}

function disagreementOf(
  { nf }: Limit,
  victim: Victim | null,
  expected: Victim | null,
  planned: string | null,
): string | null {
  const other = expected?.nf_id ?? planned;
  if (other === null || other === nf.nf_id) return null;
  const name = other.slice(nf.chain.length + 1);
  if (!expected) return `the plan expects ${name} to limit the chain`;
  const own = victim ? `, and ${nfName(nf)} to give ${figure(victim.mpps)}` : "";
  return `the model expects ${name} to limit the chain, at ${figure(expected.mpps)} Mpps${own}`;
}

/** More of an offer than this share is lost where a chain does not carry it; as outcomes are judged. */
const LOST = 0.01;

/** True where less arrives than is offered and no rule dropped it. */
export function isOverloaded(sample: ChainView["sample"]): boolean {
  if (!sample) return false;
  return sample.delivered_mpps + (sample.filtered_mpps ?? 0) < sample.offered_mpps * (1 - LOST);
}

/** Why no NF is blamed by measurement. */
export function unlimitedText(chain: ChainView, nfs: readonly NfView[]): string {
  const { sample } = chain;
  if (chain.spec.paused) return "it is paused";
  if (!sample) return "it has no measurements now";
  if (downOf(nfs) || isOverloaded(sample) || chain.latency_slo === "violated")
    return lowerFirst(unblamedText(chain, nfs));
  return `no NF limits it: it carries all of the ${figure(sample.offered_mpps)} Mpps offered to it${leastRoom(nfs)}`;
}

/** "; nat has the least headroom, 12.5 Mpps": where every NF's is known, since one that is not may have less. */
function leastRoom(nfs: readonly NfView[]): string {
  let least: { nf: NfView; room: number } | null = null;
  for (const nf of nfs) {
    const room = nf.sample?.headroom_mpps;
    if (room == null) return "";
    if (!least || room < least.room) least = { nf, room };
  }
  return least ? `; ${nfName(least.nf)} has the least headroom, ${figure(least.room)} Mpps` : "";
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}

/** Why NFs are slow, as far as hardware counters show it: what is full, and what waits for it. Pure. */

import type { HostView, NfSample, NfView } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { missPercent, nodeOf, remotePercent } from "./counters";

/** From here on what waits for a controller or a link grows faster than its load. */
const FULL_PERCENT = 80;
/** Smaller parts of an NF's traffic are not worth a word. */
const MUCH_PERCENT = 10;
/** Lines a packet that do not slow an NF, whatever part of its own they are. */
const LITTLE = 0.25;
const LINE_BYTES = 64;

/**
 * Sentences without a full stop, gravest first: "memory of node 0 at 97 %", "62 % of nids's memory traffic crosses
 * the link". Empty where nothing stands out; null where the host reports no such figures.
 */
export function counterCauses(host: HostView, nfs: readonly NfView[]): string[] | null {
  const own = nfs.filter(({ seat, sample }) => seat.host === host.host_id && sample !== null);
  const nodes = [...new Set(own.map(({ seat }) => seat.node))].sort((a, b) => a - b);
  const samples = nodes.flatMap((node) => nodeOf(host, node) ?? []);
  if (samples.length === 0 && own.every(({ sample }) => sample?.llc_references_per_s == null)) return null;
  const full = samples.flatMap(({ node, memory_load_percent: memory, link_load_percent: link }) => [
    { at: memory ?? 0, text: `memory of node ${node} at ${percent(memory)} %` },
    { at: link ?? 0, text: `link of node ${node} at ${percent(link)} %` },
  ]);
  return [...most(full, FULL_PERCENT), ...most(own.map(remote), MUCH_PERCENT), ...most(own.map(misses), MUCH_PERCENT)];
}

interface Finding {
  readonly at: number;
  readonly text: string;
}

function most(found: readonly Finding[], least: number): string[] {
  return found
    .filter(({ at }) => at >= least)
    .sort((a, b) => b.at - a.at)
    .map(({ text }) => text);
}

function remote({ nf_id, chain, sample }: NfView): Finding {
  const bytes = sample?.memory_remote_bytes_per_s ?? 0;
  const at = sample && aPacket(bytes, sample) >= LITTLE * LINE_BYTES ? (remotePercent(sample) ?? 0) : 0;
  return { at, text: `${percent(at)} % of ${nf_id.slice(chain.length + 1)}'s memory traffic crosses the link` };
}

function misses({ nf_id, chain, sample }: NfView): Finding {
  const at = sample && aPacket(sample.llc_misses_per_s ?? 0, sample) >= LITTLE ? (missPercent(sample) ?? 0) : 0;
  const asked = figure((sample?.llc_references_per_s ?? 0) / 1e6);
  return {
    at,
    text: `${nf_id.slice(chain.length + 1)} misses the cache in ${percent(at)} % of ${asked} M references a second`,
  };
}

function aPacket(perSecond: number, { rx_mpps }: NfSample): number {
  return rx_mpps > 0 ? perSecond / (rx_mpps * 1e6) : 0;
}

/** What only hardware counters show of NFs and nodes. Pure. A host without them reports nothing, which is not zero. */

import type { HostView, NfSample, NfView, NodeSample } from "@/api/types";
import { whyCannot } from "@/capabilities/cannot";
import { percent } from "@/lib/format";

/** Requests to the last-level cache that went to memory, in percent; null where it is missing, or there were none. */
export function missPercent({ llc_references_per_s: asked, llc_misses_per_s: missed }: NfSample): number | null {
  if (asked == null || missed == null || asked <= 0) return null;
  return Math.min(100, (100 * missed) / asked);
}

/** Read and written by the NF's core in memory of any node, bytes a second. */
export function memoryOf({ memory_local_bytes_per_s: local, memory_remote_bytes_per_s: remote }: NfSample) {
  return local == null && remote == null ? null : (local ?? 0) + (remote ?? 0);
}

/** The part of it that crosses a link to another node, in percent. */
export function remotePercent(sample: NfSample): number | null {
  const all = memoryOf(sample);
  return all === null || all <= 0 ? null : (100 * (sample.memory_remote_bytes_per_s ?? 0)) / all;
}

/** What the NF's lines hold of the last-level cache, in bytes. */
export function occupancyOf({ llc_occupancy_bytes: ways }: NfSample): number | null {
  return ways == null || ways.length === 0 ? null : ways.reduce((sum, bytes) => sum + bytes, 0);
}

export function nodeOf(host: HostView, node: number): NodeSample | null {
  return host.nodes?.find((each) => each.node === node) ?? null;
}

/** How full a node's link is in each direction, seen from the node; null where its host does not separate the two. */
export function linkWays(sample: NodeSample | null): { in: number; out: number } | null {
  const { link_in_load_percent: into, link_out_load_percent: out } = sample ?? {};
  return into == null || out == null ? null : { in: into, out };
}

/** "in 20 %, out 3.0 %"; the busier direction alone where the two are not separated. */
export function linkText(sample: NodeSample): string {
  const ways = linkWays(sample);
  if (ways) return `in ${percent(ways.in)} %, out ${percent(ways.out)} %`;
  return `${percent(sample.link_load_percent)} %`;
}

export const reportsCache = (nfs: Iterable<NfView>) => some(nfs, ({ sample }) => sample?.llc_references_per_s != null);

export const reportsMemory = (host: HostView) => (host.nodes?.length ?? 0) > 0;

export const reportsLink = (host: HostView) => host.nodes?.some((node) => node.link_load_percent != null) ?? false;

function some<T>(all: Iterable<T>, is: (one: T) => boolean): boolean {
  for (const one of all) if (is(one)) return true;
  return false;
}

/** Why a host reports no such figures, in its own words where it has some. */
export function whyNoCounters(host: HostView): string {
  return (
    whyCannot(host, "perf-counters") ?? `its driver, ${host.inventory?.driver ?? "not known yet"}, does not read them`
  );
}

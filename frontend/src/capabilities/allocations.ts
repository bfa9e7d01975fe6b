/** Who has LLC ways or memory bandwidth of its own: a chain with all its NFs, or an NF alone. Pure. */

import type { ChainControl, HostView, PlacedNf } from "@/api/types";

export interface Allocation {
  /** The chain's name, or the NF's id. */
  readonly owner: string;
  readonly chain: string;
  readonly ofChain: boolean;
  /** Null: it shares the ways that are left. */
  readonly ways: number | null;
  /** The most of the memory bandwidth, in percent; null: all. */
  readonly percent: number | null;
}

type Placed = Pick<PlacedNf, "nf_id" | "chain" | "seat">;

/** On one node of one host, chains before NFs, each by name. */
export function allocationsOf(placed: Iterable<Placed>, host: string, node: number): Allocation[] {
  const found = new Map<string, Allocation>();
  for (const { nf_id, chain, seat } of placed) {
    if (seat.host !== host || seat.node !== node) continue;
    const together = allocation(chain, chain, seat.chain_llc_ways, seat.chain_memory_bandwidth_percent);
    const own = allocation(nf_id, chain, seat.llc_ways, seat.memory_bandwidth_percent);
    for (const one of [together, own]) if (one.ways !== null || one.percent !== null) found.set(one.owner, one);
  }
  const order = (one: Allocation) => `${one.ofChain ? 0 : 1}${one.owner}`;
  return [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function allocation(
  owner: string,
  chain: string,
  ways: number | null | undefined,
  percent: number | null | undefined,
): Allocation {
  return { owner, chain, ofChain: owner === chain, ways: ways ?? null, percent: limitOf(percent) };
}

/** All of the bandwidth is no limit. */
export function limitOf(percent: number | null | undefined): number | null {
  return percent === 100 ? null : (percent ?? null);
}

/** What one NF has of its node: for itself, or with its chain, where a law's word stands in place of the order's. */
export function partOf(
  { seat }: Pick<PlacedNf, "seat">,
  control: ChainControl | null,
): Pick<Allocation, "ways" | "percent"> {
  const ordered = { ways: seat.chain_llc_ways ?? null, percent: limitOf(seat.chain_memory_bandwidth_percent) };
  const grouped = ordered.ways !== null || ordered.percent !== null;
  const given =
    grouped && control
      ? { ways: control.llc_ways ?? null, percent: limitOf(control.memory_bandwidth_percent) }
      : ordered;
  return { ways: seat.llc_ways ?? given.ways, percent: limitOf(seat.memory_bandwidth_percent) ?? given.percent };
}

/** All groups of a host: each takes one of its classes of service. */
export function groupsOf(placed: Iterable<Placed>, host: HostView): number {
  const all = [...placed];
  const nodes = host.inventory?.nodes ?? [];
  return new Set(nodes.flatMap(({ id }) => allocationsOf(all, host.host_id, id).map(({ owner }) => owner))).size;
}

export function givenWays(allocations: readonly Allocation[]): number {
  return allocations.reduce((sum, { ways }) => sum + (ways ?? 0), 0);
}

/** 'web 4 ways, 50 % memory bandwidth'. */
export function allocationText({ owner, ofChain, ways, percent }: Allocation): string {
  const words = [
    ways === null ? "" : `${ways} ${ways === 1 ? "way" : "ways"}`,
    percent === null ? "" : `${percent} % memory bandwidth`,
  ].filter(Boolean);
  return `${owner}${ofChain ? ", all NFs together" : ""}: ${words.join(", ")}`;
}

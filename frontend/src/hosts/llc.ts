/** About a node's last-level cache: size and ways, what each chain was given, what its lines hold. Pure. */

import type { HostView, NfView } from "@/api/types";
import { figure } from "@/lib/format";
import { inLetterOrder, type Letters } from "./letters";

export interface LlcShare {
  readonly chain: string;
  /** Of its own, by order, for all its NFs together or the most that one of them has; null: it shares what is left. */
  readonly ways: number | null;
  /** What its lines hold; null where the host does not report it. */
  readonly bytes: number | null;
  /** The same NF by NF, as it is reported. */
  readonly held: readonly Held[];
}

interface Held {
  /** Way by way from the lowest; one figure where only the sum is known. */
  readonly bytes: readonly number[];
  /** Ways that the NF may fill, the lowest as bit 0; null: all. */
  readonly mask: number | null;
}

/** Chains with ways of their own on the node, or with lines in its cache as far as that is reported; by letter. */
export function llcShares(nfs: Iterable<NfView>, node: number, letters: Letters): LlcShare[] {
  const shares = new Map<string, LlcShare>();
  for (const { seat, chain, sample } of nfs) {
    if (seat.node !== node) continue;
    const occupancy = sample?.llc_occupancy_bytes ?? null;
    const given = seat.chain_llc_ways ?? seat.llc_ways ?? null;
    if (given === null && occupancy === null) continue;
    const known = shares.get(chain);
    const sum = occupancy?.reduce((all, each) => all + each, 0) ?? null;
    shares.set(chain, {
      chain,
      ways: most(known?.ways ?? null, given),
      bytes: plus(known?.bytes ?? null, sum),
      held: [...(known?.held ?? []), ...(occupancy ? [{ bytes: occupancy, mask: sample?.llc_way_mask ?? null }] : [])],
    });
  }
  const order = inLetterOrder(letters);
  return [...shares.values()].sort((a, b) => order(a.chain, b.chain));
}

/** The NFs as they were ordered, without what was reported of them: their host's figures are not known now. */
export function withoutSamples(nfs: readonly NfView[]): NfView[] {
  return nfs.map((nf) => ({ ...nf, sample: null }));
}

const most = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));

const plus = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));

/** Ways to draw: those that can be handed out, or those that are reported of a cache that cannot be divided. */
export function waysOf(host: HostView, node: number, shares: readonly LlcShare[]): number {
  const wayCounts = shares.flatMap(({ held }) => held.map(({ bytes: of }) => of.length)).filter((length) => length > 1);
  return Math.max(llcOf(host, node)?.ways ?? 0, ...wayCounts);
}

/** Whether any NF of the chain may fill the way; never where none is kept out of any of the `ways`. */
export function isOpen({ held }: LlcShare, way: number, ways: number): boolean {
  const parted = held.some(({ mask }) => Array.from({ length: ways }, (_, at) => at).some((at) => !allows(mask, at)));
  return parted && held.some(({ mask }) => allows(mask, way));
}

const allows = (mask: number | null, way: number) => mask === null || ((mask >>> way) & 1) === 1;

/**
 * How full each of `ways` ways of a cache of `size` bytes is of the chain's lines, 0 to 1. Of an NF whose sum alone is
 * reported, it lies evenly in the ways that the NF may fill.
 */
export function fillings({ held }: LlcShare, ways: number, size: number): number[] {
  const sums = new Array<number>(ways).fill(0);
  for (const { bytes: perWay, mask } of held) {
    const open = sums.flatMap((_, way) => (allows(mask, way) ? [way] : []));
    if (perWay.length > 1) for (const [way, of] of perWay.entries()) sums[way] = (sums[way] ?? 0) + of;
    else for (const way of open) sums[way] = (sums[way] ?? 0) + (perWay[0] ?? 0) / open.length;
  }
  return sums.map((of) => (size > 0 ? Math.min(1, (of * ways) / size) : 0));
}

/** The cache is drawn way by way: its ways are known, and so is what lines hold. */
export function isByWay(host: HostView, node: number, shares: readonly LlcShare[]): boolean {
  return waysOf(host, node, shares) > 0 && shares.some(({ bytes }) => bytes !== null);
}

export function llcOf(host: HostView, node: number) {
  return host.inventory?.nodes.find(({ id }) => id === node)?.llc ?? null;
}

/** "9.4 MB, 4 ways": what a chain holds and was given. */
export function shareText({ bytes: held, ways }: LlcShare): string {
  const given = ways === null ? "" : `${ways} ${ways === 1 ? "way" : "ways"}`;
  return [held === null ? "" : `${figure(held / 2 ** 20)} MB`, given].filter(Boolean).join(", ");
}

/** "480 MB, 11 ways, 2 of them also written by the NIC"; "480 MB, shared by all" where it cannot be divided. */
export function llcText(host: HostView, node: number): string {
  const llc = llcOf(host, node);
  if (!llc) return "size not reported";
  const size = bytes(llc.size_bytes);
  if (!llc.ways) return `${size}, shared by all`;
  const nic = llc.ways_shared_with_nic ? `, ${llc.ways_shared_with_nic} of them also written by the NIC` : "";
  return `${size}, ${llc.ways} ways${nic}`;
}

/** Binary sizes as the field writes them: "36 MB", "1.5 MB", "251 GB". */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = value;
  let unit = 0;
  while (size >= 1023.5 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size >= 99.5 || Number.isInteger(size) ? size.toFixed(0) : size.toPrecision(2)} ${units[unit]}`;
}

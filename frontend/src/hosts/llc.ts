/** What is known of a node's last-level cache: its size, its ways, and how many of them each chain was given. Pure. */

import type { HostView, NfView } from "@/api/types";
import { inLetterOrder, type Letters } from "./letters";

export interface LlcShare {
  readonly chain: string;
  readonly ways: number;
}

/** Chains with ways of their own on the node, by letter. An NF without an order shares what is left. */
export function llcShares(nfs: Iterable<NfView>, node: number, letters: Letters): LlcShare[] {
  const ways = new Map<string, number>();
  for (const { seat, chain } of nfs) {
    if (seat.node !== node || typeof seat.llc_ways !== "number") continue;
    ways.set(chain, Math.max(ways.get(chain) ?? 0, seat.llc_ways));
  }
  const order = inLetterOrder(letters);
  return [...ways].sort(([a], [b]) => order(a, b)).map(([chain, of]) => ({ chain, ways: of }));
}

/** "480 MB, 11 ways, 2 of them also written by the NIC"; "480 MB, shared by all" where it cannot be divided. */
export function llcText(host: HostView, node: number): string {
  const llc = host.inventory?.nodes.find(({ id }) => id === node)?.llc;
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

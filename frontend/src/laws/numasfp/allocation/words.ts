/** What a host's agent gives a chain by the law, in words. Pure. */

import type { NumasfpChain, WayTransfer } from "@/api/types";
import { count, figure } from "@/lib/format";

const CONTROL = {
  in_full: "has what its rate needs",
  short: "short: no more can be given",
  beyond_table: "its rate is above the highest level",
  held: "held",
} as const satisfies Record<NonNullable<NumasfpChain["control"]>, string>;

/** How its agent stands with it, and why. */
export function controlText({ control, note, bounds }: NumasfpChain): string {
  if (control === null) return note ?? (bounds === null ? "not handed over" : "its agent reports nothing yet");
  // Its note has the same words, with the figures.
  if (control === "beyond_table" && note) return note;
  return note ? `${CONTROL[control]}: ${note}` : CONTROL[control];
}

/** "8.8 Gbps offered, 7.7 carried" */
export function rateText({ rate_gbps, carried_gbps }: Pick<NumasfpChain, "rate_gbps" | "carried_gbps">): string {
  if (rate_gbps === null) return "not measured";
  return `${figure(rate_gbps)} Gbps offered, ${carried_gbps === null ? "carried not measured" : `${figure(carried_gbps)} carried`}`;
}

/** "2 ways from nat to web" */
export function transferText({ from_chain, to_chain, ways }: WayTransfer): string {
  const what = count(ways, "way");
  if (from_chain == null) return `${what} that nobody had to ${to_chain ?? "nobody"}`;
  return to_chain == null ? `${what} of ${from_chain} given back` : `${what} from ${from_chain} to ${to_chain}`;
}

/** Those in which it gave or was given ways. */
export function transfersOf(transfers: readonly WayTransfer[], chain: string): readonly WayTransfer[] {
  return transfers.filter(({ from_chain, to_chain }) => from_chain === chain || to_chain === chain);
}

/** The newest of them; null: none was reported. */
export function lastTransfer(transfers: readonly WayTransfer[], chain: string): WayTransfer | null {
  return transfersOf(transfers, chain).at(-1) ?? null;
}

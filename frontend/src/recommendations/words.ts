/** A recommendation in words. Pure. */

import type { Recommendation } from "@/api/types";
import { count, percent } from "@/lib/format";

/** Names beyond it are counted. */
const MOST = 3;

/** The largest gain first; of equal ones the older. */
export function byGain(open: Iterable<Recommendation>): readonly Recommendation[] {
  return [...open].toSorted((one, other) => other.gain_mpps - one.gain_mpps || one.id - other.id);
}

/** "2 moves of web-edge and dmz-in on r2-03" */
export function whatText({ moves, chains, hosts }: Recommendation): string {
  return `${count(moves, "move")} of ${listed(chains, "chain")} on ${listed(hosts, "host")}`;
}

/** Of what the hosts' chains carry now, by prediction. */
export function shareText({ gain_percent }: Recommendation): string {
  return gain_percent === null ? "the present prediction is 0" : `${percent(gain_percent)} %`;
}

/** Why nothing is measured of what it gained. */
export function gainedText({ state, operation_id }: Recommendation): string {
  if (state !== "accepted" || operation_id === null) return "not applied";
  return "not measured before or after it was applied";
}

/** The objectives it restores and breaks. */
export function restoresText({ restores, breaks }: Recommendation): string {
  const restored = restores.length > 0 ? `throughput of ${listed(restores, "chain")}` : "no objective";
  return breaks.length > 0 ? `${restored}; ${listed(breaks, "chain")} would miss its own` : restored;
}

/** Every moved NF is started again on its other core. */
export function costText({ moves, chains }: Recommendation): string {
  return `${count(moves, "restart")}; ${count(chains.length, "chain")} lose${chains.length === 1 ? "s" : ""} packets`;
}

/** Why to believe it, or not to. */
export function trustText({ trust, trust_why }: Recommendation): string {
  return `${trust}, ${trust_why}`;
}

function listed(names: readonly string[], one: string): string {
  if (names.length > MOST)
    return `${names.slice(0, MOST - 1).join(", ")} and ${count(names.length - MOST + 1, `other ${one}`)}`;
  return names.length < 2 ? (names[0] ?? "–") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

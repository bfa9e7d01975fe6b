/** A recommendation in words. Pure. */

import type { Recommendation } from "@/api/types";
import { count, percent, signed } from "@/lib/format";

/** Names beyond it are counted. */
const MOST = 3;

export interface Gain {
  readonly value: number;
  readonly unit: "Gbps" | "value × Mpps";
}

/** Each law in its own unit: of NUMASFP's law, what its chains would carry more on the wire. */
export function gainOf({ gain_gbps, gain_mpps }: Recommendation): Gain {
  return typeof gain_gbps === "number"
    ? { value: gain_gbps, unit: "Gbps" }
    : { value: gain_mpps, unit: "value × Mpps" };
}

/** In the unit of what was predicted; null where it was not measured, or not yet. */
export function measuredGain(one: Recommendation): Gain | null {
  const { unit } = gainOf(one);
  const value = unit === "Gbps" ? one.measured_gain_gbps : one.measured_gain_mpps;
  return typeof value === "number" ? { value, unit } : null;
}

/** "+3.0 Gbps" */
export function gainText({ value, unit }: Gain): string {
  return `${signed(value)} ${unit}`;
}

/** Gains of one unit by size, of equal ones the older first. Units are not compared: those in Gbps come first, since
 * they answer traffic of this second. */
export function byGain(open: Iterable<Recommendation>): readonly Recommendation[] {
  const rank = (one: Recommendation) => (gainOf(one).unit === "Gbps" ? 0 : 1);
  return [...open].toSorted(
    (one, other) => rank(one) - rank(other) || gainOf(other).value - gainOf(one).value || one.id - other.id,
  );
}

/** Of NUMASFP's law: its agent sets ways and bandwidth from then on; no NF moves. */
export function isHandOver(one: Recommendation): boolean {
  return one.law === "numasfp" && one.moves === 0;
}

/** It is for packets that take too long, or for NFs that are not needed, and promises no packets more. */
function isForLatency(one: Recommendation): boolean {
  return one.law === "srv6";
}

/** Nothing stands to be gained in packets, whatever figure goes with it. */
export function promisesNoGain(one: Recommendation): boolean {
  return isHandOver(one) || isForLatency(one);
}

/** "hand-over", "2 moves"; "change" where no NF moves, as of lanes. */
export function changeText(one: Recommendation): string {
  if (isHandOver(one)) return "hand-over";
  return one.moves === 0 ? "change" : count(one.moves, "move");
}

/** "2 moves of web-edge and dmz-in on r2-03", "change of web and web-lane-2 on lab-1 and lab-2". */
export function whatText(one: Recommendation): string {
  const what = changeText(one);
  return `${what} of ${listed(one.chains, "chain")} on ${listed(one.hosts, "host")}`;
}

/** Of what the hosts' chains carry now, by prediction. */
export function shareText(one: Recommendation): string {
  const { gain_percent } = one;
  if (isForLatency(one)) return "none predicted: it goes by how long packets take";
  if (isHandOver(one)) return "chains get ways and bandwidth as their rates need them";
  return gain_percent === null ? "the present prediction is 0" : `${percent(gain_percent)} %`;
}

/** Why no interval stands behind the gain. */
export function intervalText(one: Recommendation): string {
  return gainOf(one).unit === "Gbps" ? "Levels of NF types have none" : "Not every model has one";
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

/** What re-placement moves is started again on its other core, as on another host; what NUMASFP's law moves goes on
 * running. */
export function costText(one: Recommendation): string {
  const { moves, chains } = one;
  if (moves === 0) return "no move; nothing restarts";
  if (isForLatency(one)) return `${count(moves, "NF")} start${moves === 1 ? "s" : ""} anew; ${lose(chains)}`;
  if (gainOf(one).unit === "Gbps") {
    return `${count(moves, "NF")} change${moves === 1 ? "s" : ""} core; nothing restarts; ${lose(chains)} while they move`;
  }
  return `${count(moves, "restart")}; ${count(chains.length, "chain")} lose${chains.length === 1 ? "s" : ""} packets`;
}

function lose(chains: readonly string[]): string {
  return `${count(chains.length, "chain")} may lose packets`;
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

/** SRv6-INT's global loop in words. Pure. */

import type { Srv6Chain, Srv6HostRow } from "@/api/types";
import { DASH, figure, percent } from "@/lib/format";

/** "one lane", "3 lanes" */
export function lanesText(lanes: number): string {
  return lanes === 1 ? "one lane" : `${lanes} lanes`;
}

/** "Carry web in 2 lanes" */
export function headline(chain: Srv6Chain, lanes: number): string {
  return `Carry ${chain.chain} in ${lanesText(lanes)}`;
}

/** "Move web to edge-2" */
export function moveHeadline({ chain }: Srv6Chain, host: string): string {
  return `Move ${chain} to ${host}`;
}

/** "web-lane-2 on edge-2"; empty where a lane would go. */
export function startsText({ recommended_hosts }: Srv6Chain): string {
  return Object.entries(recommended_hosts)
    .toSorted()
    .map(([lane, host]) => `${lane} on ${host}`)
    .join(", ");
}

/** "a lane needs at least 0.40 cores: of web.wall CPU time is not measured"; null where all is. */
export function uncountedText({ need_cores, uncounted }: Srv6Chain): string | null {
  if (uncounted.length === 0) return null;
  return `a lane needs at least ${figure(need_cores)} cores: of ${uncounted.join(", ")} CPU time is not measured`;
}

/** "400 %" of what is tolerated; a dash without packets to speak of. */
export function partText(worst: number | null): string {
  return worst === null ? DASH : `${percent(100 * worst)} %`;
}

export function saturatedRows(rows: readonly Srv6HostRow[]): readonly Srv6HostRow[] {
  return rows.filter(({ saturated }) => saturated > 0);
}

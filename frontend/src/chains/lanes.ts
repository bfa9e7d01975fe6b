/** Lanes: the chains that carry one chain's flows together, what they carry in all, and what is wrong with them. Pure. */

import type { ChainView, Lane } from "@/api/types";
import { figure } from "@/lib/format";

export interface LaneRow {
  readonly chain: ChainView;
  readonly lane: Lane;
}

/** All lanes of a chain, by number. */
export function lanesOf(chains: Iterable<ChainView>, of: string): LaneRow[] {
  const found = [...chains].flatMap((chain) => {
    const lane = chain.spec.traffic.lane;
    return lane?.of === of ? [{ chain, lane }] : [];
  });
  return found.sort((a, b) => a.lane.number - b.lane.number || a.chain.spec.name.localeCompare(b.chain.spec.name));
}

/** Of the flows, in percent, by its weight. */
export function laneShare({ number, weights }: Lane): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (100 * (weights[number - 1] ?? 0)) / all;
}

/** "lane 2 of 3 of web" */
export function laneWords({ of, number, weights }: Lane): string {
  return `lane ${number} of ${weights.length} of ${of}`;
}

/** Why some flows are sent by no lane, or by two; nothing where each has one. */
export function laneFaults(rows: readonly LaneRow[]): string[] {
  const kinds = new Set(rows.map(({ lane }) => lane.weights.join(" : ")));
  if (kinds.size > 1) return [`They divide flows by different weights: ${[...kinds].join(", ")}. Give all the same.`];
  const most = rows[0]?.lane.weights.length ?? 0;
  const faults: string[] = [];
  for (let number = 1; number <= most; number++) {
    const [first, second] = rows.filter(({ lane }) => lane.number === number);
    if (!first) faults.push(`Lane ${number} is missing: nobody sends its flows.`);
    else if (second) {
      const both = `${first.chain.spec.name} and ${second.chain.spec.name}`;
      faults.push(`${both} are both lane ${number}: its flows are sent twice.`);
    }
  }
  return faults;
}

export interface LaneTotal {
  readonly offered: string;
  readonly delivered: string;
  readonly dropped: string;
}

/** What all lanes carry together; a dash where one of them is not measured. */
export function laneTotal(rows: readonly LaneRow[]): LaneTotal {
  const sum = (of: "offered_mpps" | "delivered_mpps" | "drop_mpps") =>
    rows.some(({ chain }) => chain.sample === null)
      ? figure(null)
      : figure(rows.reduce((total, { chain }) => total + (chain.sample?.[of] ?? 0), 0));
  return { offered: sum("offered_mpps"), delivered: sum("delivered_mpps"), dropped: sum("drop_mpps") };
}

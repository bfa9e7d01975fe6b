/** Lanes: the chains that carry one chain's flows together, what they carry in all, and what is wrong with them. Pure. */

import type { ChainView, Lane } from "@/api/types";
import { figure } from "@/lib/format";
import { wholeOf } from "./parts";

export interface LaneRow {
  readonly chain: ChainView;
  readonly lane: Lane;
  /** The chain, and after it the other parts of one that passes several hosts. */
  readonly parts: readonly [ChainView, ...ChainView[]];
}

/** All lanes of a chain, by number. */
export function lanesOf(chains: Iterable<ChainView>, of: string): LaneRow[] {
  const all = [...chains];
  const found = all.flatMap((chain): LaneRow[] => {
    const lane = chain.spec.traffic.lane;
    if (lane?.of !== of || (chain.spec.part?.number ?? 1) > 1) return [];
    return [{ chain, lane, parts: wholeOf(chain, all) }];
  });
  return found.sort((a, b) => a.lane.number - b.lane.number || a.chain.spec.name.localeCompare(b.chain.spec.name));
}

export interface LaneFigures {
  /** Mpps; null where one of its hosts has measured nothing. */
  readonly offered: number | null;
  readonly delivered: number | null;
  readonly dropped: number | null;
}

/** What enters with the first part, leaves with the last, and is dropped by any. */
export function laneFigures({ chain, parts }: LaneRow): LaneFigures {
  const drops = parts.map(({ sample }) => sample?.drop_mpps ?? null);
  return {
    offered: chain.sample?.offered_mpps ?? null,
    delivered: parts.at(-1)?.sample?.delivered_mpps ?? null,
    dropped: sumOf(drops),
  };
}

function sumOf(figures: readonly (number | null)[]): number | null {
  return figures.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);
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
  const lanes = rows.map(laneFigures);
  const sum = (of: keyof LaneFigures) => figure(sumOf(lanes.map((lane) => lane[of])));
  return { offered: sum("offered"), delivered: sum("delivered"), dropped: sum("dropped") };
}

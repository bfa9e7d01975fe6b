/** Levels of an NF type as rows of a table, and the rates that a form asks about. Pure. */

import type { HostView, LevelsVersion, NodeKind } from "@/api/types";

export const USUAL_RATES = "1 2 3 4 5 6 7 8 9 10";
export const MOST_RATES = 64;

export interface RateRow {
  readonly gbps: number;
  readonly local: NodeCell;
  readonly remote: NodeCell;
}

/** What a rate takes on a kind of node; null: nothing carries it; undefined: it was not measured there. */
export type NodeCell = { readonly ways: number; readonly percent: number; readonly others: string } | null | undefined;

/** By rising rate; a rate stands there whether or not anything carries it. */
export function rateRows({ measured }: LevelsVersion): readonly RateRow[] {
  const rates = new Set(measured.nodes.flatMap(({ fronts }) => fronts.map(({ gbps }) => gbps)));
  return [...rates]
    .sort((a, b) => a - b)
    .map((gbps) => ({ gbps, local: cellOf(measured, "local", gbps), remote: cellOf(measured, "remote", gbps) }));
}

function cellOf(measured: LevelsVersion["measured"], kind: NodeKind, gbps: number): NodeCell {
  const front = measured.nodes.find((node) => node.kind === kind)?.fronts.find((one) => one.gbps === gbps);
  if (!front) return undefined;
  const level = measured.levels[kind]?.find((one) => one.gbps === gbps);
  if (!level) return null;
  const others = front.points.filter(([ways]) => ways !== level.ways);
  return {
    ways: level.ways,
    percent: level.mb_percent,
    others: others.map(([ways, percent]) => wayText(ways, percent)).join(" or "),
  };
}

/** Kinds of nodes on which a host can find levels, and why it leaves the other out. What no inventory says is asked for:
 * the console's answer to the design has the reason then. */
export function nodeKindsOf(host: HostView | undefined): { nodes: readonly NodeKind[]; why: string | null } {
  const inventory = host?.inventory;
  const remote = inventory?.capabilities.find(({ name }) => name === "profiling-resources-remote");
  const why = inventory?.nodes.length === 1 ? "the host has one NUMA node" : null;
  const refused = why ?? (remote && !remote.available ? remote.reason : null);
  return { nodes: refused === null ? ["local", "remote"] : ["local"], why: refused };
}

/** "2 ways, 20 %". */
export function wayText(ways: number, percent: number): string {
  return `${ways} ${ways === 1 ? "way" : "ways"}, ${percent} %`;
}

/** "31 of 100 points": those that were measured, of all combinations on its kinds of nodes. */
export function pointsOfGrid({ measured }: LevelsVersion): string {
  const sum = (key: "points_measured" | "points_of_grid") => measured.nodes.reduce((all, node) => all + node[key], 0);
  return `${sum("points_measured")} of ${sum("points_of_grid")} points`;
}

/** The rates of a text, "1 2.5 10", or what is wrong with it. */
export function readRates(text: string): { rates: readonly number[]; error: string | null } {
  const words = text.split(/[\s;]+/).filter(Boolean);
  const rates = words.map((word) => Number(word.replace(",", ".")));
  const wrong = words.find((_, index) => !((rates[index] ?? 0) > 0 && (rates[index] ?? 0) <= 1e6));
  if (words.length === 0) return { rates, error: "rates in Gbps with blanks between them: 1 2.5 10" };
  if (wrong !== undefined) return { rates, error: `${wrong} is no rate above 0` };
  if (new Set(rates).size < rates.length) return { rates, error: "each rate is named once" };
  if (rates.length > MOST_RATES) return { rates, error: `at most ${MOST_RATES} rates` };
  return { rates: [...rates].sort((a, b) => a - b), error: null };
}

/** Levels of an NF type as fronts to draw: per kind of node, each rate's least ways and bandwidth. Pure. */

import type { LevelsVersion, NodeKind } from "@/api/types";
import { figure } from "@/lib/format";
import { wayText } from "./levels";

/** [ways, percent of memory bandwidth] */
export type Combination = readonly [number, number];

export interface Front {
  /** "5 Gbps", or "1 to 4 Gbps" where all these rates take the same. */
  readonly text: string;
  /** By rising ways, so by falling bandwidth: less of either does not carry it. */
  readonly points: readonly Combination[];
  /** The one of them that laws go by. */
  readonly level: Combination | null;
}

export interface NodeFronts {
  readonly kind: NodeKind;
  /** By rising rate. */
  readonly fronts: readonly Front[];
  /** Rates that nothing carries there, Gbps. */
  readonly beyond: readonly number[];
}

export function frontsOf({ measured }: LevelsVersion): readonly NodeFronts[] {
  return (["local", "remote"] as const).flatMap((kind): NodeFronts[] => {
    const node = measured.nodes.find((one) => one.kind === kind);
    if (!node) return [];
    const rates = node.fronts.toSorted((one, other) => one.gbps - other.gbps);
    const beyond = rates.filter(({ points }) => points.length === 0).map(({ gbps }) => gbps);
    const fronts: { gbps: number[]; points: readonly Combination[] }[] = [];
    for (const { gbps, points } of rates) {
      if (points.length === 0) continue;
      const sorted = points.map(([ways, percent]): Combination => [ways, percent]).sort((a, b) => a[0] - b[0]);
      const last = fronts.at(-1);
      if (last && String(last.points) === String(sorted)) last.gbps.push(gbps);
      else fronts.push({ gbps: [gbps], points: sorted });
    }
    const levels = measured.levels[kind] ?? [];
    return [
      {
        kind,
        beyond,
        fronts: fronts.map(({ gbps, points }) => {
          const level = levels.find((one) => one.gbps === gbps[0]);
          return { text: ratesText(gbps), points, level: level ? [level.ways, level.mb_percent] : null };
        }),
      },
    ];
  });
}

function ratesText(gbps: readonly number[]): string {
  const [least, most] = [gbps[0], gbps.at(-1)];
  return least === most ? `${figure(least)} Gbps` : `${figure(least)} to ${figure(most)} Gbps`;
}

/** Ways that the picture's axis reaches: one more than any front needs, so that its flat end is seen. */
export function mostWays(nodes: readonly NodeFronts[]): number {
  const ways = nodes.flatMap(({ fronts }) => fronts.flatMap(({ points }) => points.map(([one]) => one)));
  return Math.max(3, ...ways) + 1;
}

/** The edge of what carries a rate: down to its least bandwidth at each number of ways, then on to the right. */
export function stairs(
  points: readonly Combination[],
  x: (ways: number) => number,
  y: (percent: number) => number,
  right: number,
): string {
  const [first] = points;
  if (!first) return "";
  const steps = points.map(([ways, percent]) => `H${x(ways).toFixed(1)}V${y(percent).toFixed(1)}`);
  return `M${x(first[0]).toFixed(1)} ${y(100).toFixed(1)}${steps.join("")}H${right.toFixed(1)}`;
}

/** "remote: 1 to 4 Gbps from 1 way, 20 %; 5 Gbps from 2 ways, 40 %" */
export function frontsText({ kind, fronts }: NodeFronts): string {
  const each = fronts.map(({ text, points, level }) => {
    const [ways, percent] = level ?? points[0] ?? [0, 0];
    return `${text} from ${wayText(ways, percent)}`;
  });
  return `${kind}: ${each.join("; ") || "nothing is carried"}`;
}

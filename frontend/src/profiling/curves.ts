/** Drops over the number of competitors, or over what bubbles take, as series of a plot. Pure. */

import type { PointPurpose, ProfilingPoint } from "@/api/types";
import { figure } from "@/lib/format";
import type { PlotPoint } from "@/ui/plot-geometry";
import { chainText, competitorOf, othersText } from "./setting";

export interface Curve {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

/** Points that have a drop, by the type of their competitors; mixes and lone chains are points without a line. */
export function curvesOf(points: readonly ProfilingPoint[], purpose: PointPurpose): readonly Curve[] {
  const curves = new Map<string, PlotPoint[]>();
  for (const point of points) {
    const { setting, drop_percent: drop } = point;
    if (setting.purpose !== purpose || !drop) continue;
    const name = nameOf(point);
    const known = curves.get(name) ?? [];
    known.push({
      x: acrossOf(point),
      y: drop.value,
      half: drop.half_width ?? null,
      title: `${chainText(setting)}, ${othersText(setting)}: drop ${dropText(point)}`,
    });
    curves.set(name, known);
  }
  return [...curves]
    .map(([name, found]) => ({ name, points: found.sort((a, b) => a.x - b.x) }))
    .sort((a, b) => reach(b) - reach(a) || (a.name < b.name ? -1 : 1));
}

/** Purposes that have anything to draw, in the order of the points. */
export function drawn(points: readonly ProfilingPoint[]): ReadonlySet<PointPurpose> {
  return new Set(points.filter(({ drop_percent }) => drop_percent).map(({ setting }) => setting.purpose));
}

/** Bubbles: MiB of all of them; otherwise the number of competitors. */
function acrossOf({ setting }: ProfilingPoint): number {
  const { bubble_kib: kib, others } = setting;
  return kib ? (kib * others.length) / 1024 : others.length;
}

/** Bubbles of each number are one curve; otherwise competitors of each type. */
function nameOf({ setting }: ProfilingPoint): string {
  if (setting.bubble_kib) return `${setting.others.length} ${setting.others.length === 1 ? "bubble" : "bubbles"}`;
  if (setting.purpose === "contentiousness") return setting.others[0]?.nf_type ?? "alone";
  return competitorOf(setting) ?? "chain alone";
}

function reach({ points }: Curve): number {
  return Math.max(...points.map(({ y }) => y));
}

/** "4.1 ± 0.3 points"; without the interval where there is none. */
export function dropText({ drop_percent: drop }: ProfilingPoint): string {
  if (!drop) return "not known";
  return `${figure(drop.value)}${drop.half_width == null ? "" : ` ± ${figure(drop.half_width)}`} points`;
}

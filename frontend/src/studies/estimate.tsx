/** Figures with their 95 % spread over the runs of a study, in words. */

import type { ReactNode } from "react";
import type { Estimate, PlacementSummary } from "@/api/types";
import { count, figure } from "@/lib/format";

/** Rounding: a half width no greater is none. */
const SAME = 1e-9;

/** "33.0 ± 0.4"; the figure alone where all runs agree, or where there is one. */
export function estimateText({ value, half_width }: Estimate): string {
  return `${figure(value)}${widthText(half_width)}`;
}

/** " ± 0.4"; nothing where all runs agree. */
export function widthText(half: number | null | undefined): string {
  return half == null || half <= SAME ? "" : ` ± ${figure(half)}`;
}

export function EstimateFigure({ of }: { of: Estimate | null }): ReactNode {
  if (!of) return "–";
  const width = widthText(of.half_width);
  return (
    <span className="nowrap">
      <b className="strong">{figure(of.value)}</b>
      {width && <span className="interval">{width}</span>}
    </span>
  );
}

/** What differs between runs, which is all that the spread is over: chains and placements are the same in each. */
export function runsNote({ runs, draws }: Pick<PlacementSummary, "runs" | "draws">): string {
  if (runs === 1) return "1 run, so no spread is known";
  if (draws === 1) return `± 95 % spread over the noise of profiles, ${count(runs, "seed")}`;
  return `± 95 % spread over ${count(draws, "draw")} of the twin's priors${runs > draws ? " and the noise of profiles" : ""}`;
}

/** "cycles in 2 of 3 runs, llc-misses in 1 of 3 runs"; empty where all used the same. */
export function metricsText({ metrics, runs }: Pick<PlacementSummary, "metrics" | "runs">): string {
  const used = Object.entries(metrics ?? {});
  return used.length > 1 ? used.map(([name, times]) => `${name} in ${times} of ${count(runs, "run")}`).join(", ") : "";
}

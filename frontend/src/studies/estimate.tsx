/** Figures with their 95 % intervals over the runs of a study, in words. */

import type { ReactNode } from "react";
import type { Estimate } from "@/api/types";
import { count, figure } from "@/lib/format";
import { Mark } from "@/ui/marks";

/** "33.0 ± 0.4"; without an interval the figure alone. */
export function estimateText({ value, half_width }: Estimate): string {
  return half_width == null ? figure(value) : `${figure(value)} ± ${figure(half_width)}`;
}

export function EstimateFigure({ of }: { of: Estimate | null }): ReactNode {
  if (!of) return "–";
  return (
    <span className="nowrap">
      <b className="strong">{figure(of.value)}</b>
      {of.half_width != null && <span className="interval"> ± {figure(of.half_width)}</span>}
    </span>
  );
}

/** What the intervals are over. */
export function runsNote(runs: number): string {
  return runs === 1 ? "1 run, so no interval" : `95 % intervals over ${count(runs, "run")}`;
}

/** The head of a column of figures of one origin. */
export function Head({ origin, text }: { origin: "simulated" | "predicted"; text: string }): ReactNode {
  return (
    <span className="nowrap">
      <Mark origin={origin} />
      {text}
    </span>
  );
}

/** Over the cells of the cores that an NF may move to: its rank and what its chain is predicted to carry there. */

import type { ReactNode } from "react";
import type { MoveTargets } from "@/api/types";
import { type MoveTarget, mpps, rankText } from "@/fleet/migration-targets";
import type { PictureLayout } from "./picture-layout";

export interface PictureMove {
  readonly targets: MoveTargets;
  readonly onChoose: (core: number) => void;
}

/** The core's target, where the NF can go there. */
export function targetAt({ targets }: PictureMove, core: number): MoveTarget | undefined {
  return targets.cores.find((target) => target.core === core && target.why_not === null);
}

export function MoveMarks({ layout, move }: { layout: PictureLayout; move: PictureMove }): ReactNode {
  const first = new Map(layout.units.toReversed().map((unit) => [unit.core, unit]));
  return (
    <g className="move-marks">
      {[...first.values()].map(({ core, x, y, w, h }) => {
        const target = targetAt(move, core);
        if (!target) return null;
        const tone = target.worse.some(({ breaks_slo }) => breaks_slo)
          ? "bad"
          : target.worse.length > 0
            ? "warn"
            : "ok";
        return (
          <g key={core} className={`move-mark ${tone}`} transform={`translate(${x} ${y})`}>
            <rect x={1} y={1} width={w - 2} height={h - 2} />
            <text x={w / 2} y={h / 2} textAnchor="middle">
              {target.chain_mpps === null ? "?" : mpps(target.chain_mpps)}
            </text>
            {h > 36 && (
              <text x={w / 2} y={h / 2 + 14} textAnchor="middle">
                {rankText(target)}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

/** Gain against moves, as a picture that is walked over like a slider: a point has its figures beside it. */

import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import type { FrontierPoint } from "@/api/types";
import { signed } from "@/lib/format";
import { DRAWN_POINTS, gridOf, scaleOf, ticksOf } from "./frontier-geometry";

const [W, H, LEFT, RIGHT, TOP, BOTTOM] = [400, 168, 34, 14, 10, 32];

export function FrontierChart(props: {
  points: readonly FrontierPoint[];
  chosen: number;
  onChoose: (index: number) => void;
}): ReactNode {
  const { points, chosen, onChoose } = props;
  const scale = scaleOf(points);
  const x = (moves: number) => LEFT + (moves / scale.most) * (W - LEFT - RIGHT);
  const y = (mpps: number) => TOP + ((scale.top - mpps) / (scale.top - scale.bottom)) * (H - TOP - BOTTOM);
  const line = (of: (point: FrontierPoint) => number) =>
    points
      .map((point, index) => `${index ? "L" : "M"}${x(point.moves).toFixed(1)} ${y(of(point)).toFixed(1)}`)
      .join("");
  const at = points[chosen];
  const drawn = points.length <= DRAWN_POINTS ? points : points.slice(chosen, chosen + 1);
  return (
    <div
      className="frontier"
      role="slider"
      tabIndex={0}
      aria-label="Moves"
      aria-valuemin={0}
      aria-valuemax={points.at(-1)?.moves ?? 0}
      aria-valuenow={at?.moves ?? 0}
      aria-valuetext={at ? pointText(at) : ""}
      onKeyDown={(event) => step(event, chosen, points.length, onChoose)}
      onPointerDown={(event) => onChoose(nearest(event, points, x))}
      onPointerMove={(event) => event.buttons > 0 && onChoose(nearest(event, points, x))}
    >
      <svg viewBox={`0 0 ${W} ${H}`} className="chart" aria-hidden="true">
        {gridOf(scale).map((mpps) => (
          <g key={mpps}>
            <line className="grid" x1={LEFT} x2={W - RIGHT} y1={y(mpps)} y2={y(mpps)} />
            <text x={LEFT - 6} y={y(mpps) + 3} textAnchor="end">
              {String(Number(mpps.toPrecision(3)))}
            </text>
          </g>
        ))}
        {ticksOf(scale.most).map((moves) => (
          <text key={moves} x={x(moves)} y={H - BOTTOM + 14} textAnchor="middle">
            {moves}
          </text>
        ))}
        <text x={W - RIGHT} y={H - 4} textAnchor="end">
          moves
        </text>
        <path className="net" d={line(({ net_mpps }) => net_mpps)} />
        <path className="gain" d={line(({ gain_mpps }) => gain_mpps)} />
        {at && <line className="cut" x1={x(at.moves)} x2={x(at.moves)} y1={y(at.gain_mpps)} y2={H - BOTTOM} />}
        {drawn.map((point) => (
          <circle
            key={point.moves}
            className={`${point.proven ? "proven" : "found"} ${point === at ? "chosen" : ""}`}
            cx={x(point.moves)}
            cy={y(point.gain_mpps)}
            r={point === at ? 5 : 3}
          >
            <title>{pointText(point)}</title>
          </circle>
        ))}
      </svg>
    </div>
  );
}

/** "3 moves: +4.0 value × Mpps, +3.4 after the cost of moves; proven: no plan with so few moves gains more". */
export function pointText(point: FrontierPoint): string {
  const moves = `${point.moves} ${point.moves === 1 ? "move" : "moves"}`;
  const known = point.proven
    ? "proved under Octans' equations: no plan with as few moves gains more"
    : "the best found, not proved";
  return `${moves}: ${signed(point.gain_mpps)} value × Mpps, ${signed(point.net_mpps)} after the cost of moves; ${known}`;
}

function step(event: KeyboardEvent, chosen: number, length: number, choose: (index: number) => void): void {
  const by: Record<string, number> = {
    ArrowRight: 1,
    ArrowUp: 1,
    ArrowLeft: -1,
    ArrowDown: -1,
    PageUp: 10,
    PageDown: -10,
    Home: -length,
    End: length,
  };
  const steps = by[event.key];
  if (steps === undefined) return;
  event.preventDefault();
  choose(Math.max(0, Math.min(length - 1, chosen + steps)));
}

function nearest(event: PointerEvent, points: readonly FrontierPoint[], x: (moves: number) => number): number {
  const box = event.currentTarget.getBoundingClientRect();
  const at = ((event.clientX - box.left) / box.width) * W;
  let found = 0;
  points.forEach((point, index) => {
    if (Math.abs(x(point.moves) - at) < Math.abs(x(points[found]?.moves ?? 0) - at)) found = index;
  });
  return found;
}

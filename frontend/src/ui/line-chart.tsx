/** Lines over the last seconds, drawn as SVG at the width there is; every line ends in its value and name. */

import type { ReactNode } from "react";
import { apart, niceTop, pathOf } from "./line-chart-geometry";
import { useWidth } from "./use-width";

export interface Line {
  readonly name: string;
  readonly look: "measured" | "simulated" | "quiet" | "forecast";
  /** [seconds since 1970, value], oldest first; null breaks the line. */
  readonly points: readonly (readonly [number, number | null])[];
  readonly end: string;
}

export interface LineChartProps {
  label: string;
  lines: readonly Line[];
  /** The time at the right edge, seconds since 1970. */
  now: number;
  seconds: number;
  /** Drawn as a dashed amber line with its text. */
  limit?: { value: number; text: string } | undefined;
  format: (value: number) => string;
}

const H = 120;
const LEFT = 56;
const RIGHT = 124;
const TOP = 8;
const BOTTOM = 20;

export function LineChart(props: LineChartProps): ReactNode {
  const { width: room, ref } = useWidth(720);
  const width = Math.max(320, Math.min(1100, room));
  const { lines, limit, now, seconds, format } = props;
  const top = niceTop(lines, limit?.value);
  const right = width - RIGHT;
  const x = (at: number) => LEFT + ((at - now + seconds) / seconds) * (right - LEFT);
  const y = (value: number) => TOP + (1 - Math.min(1, value / top)) * (H - TOP - BOTTOM);
  const ends = apart(
    lines.map((line) => y(line.points.at(-1)?.[1] ?? 0)),
    H - BOTTOM + 2,
  );
  return (
    <div ref={ref} className="chart-room">
      <svg className="chart" width={width} height={H} role="img" aria-label={props.label}>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line className="grid" x1={LEFT} x2={right} y1={y(top * part)} y2={y(top * part)} />
            <text x={LEFT - 8} y={y(top * part) + 3} textAnchor="end">
              {part === 0 ? "0" : format(top * part)}
            </text>
          </g>
        ))}
        {[1, 2 / 3, 1 / 3, 0].map((part) => (
          <text key={part} x={x(now - seconds * part)} y={H - 5} textAnchor={part === 1 ? "start" : "middle"}>
            {part === 0 ? "now" : `−${Math.round(seconds * part)} s`}
          </text>
        ))}
        {limit && <Limit limit={limit} left={LEFT} right={right} y={y} top={top} />}
        {lines.map((line, index) => (
          <g key={line.name} className={`line ${line.look}`}>
            <path d={pathOf(line.points, x, y, now - seconds)} />
            <text x={right + 8} y={(ends[index] ?? 0) + 3}>
              {line.end} {line.name}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

function Limit(props: {
  limit: { value: number; text: string };
  left: number;
  right: number;
  y: (value: number) => number;
  top: number;
}): ReactNode {
  const { limit, left, right, y, top } = props;
  if (limit.value > top) {
    return (
      <text className="limit-text" x={left + 4} y={TOP + 10}>
        {limit.text}, above this scale
      </text>
    );
  }
  const at = y(limit.value);
  return (
    <g>
      <line className="limit" x1={left} x2={right} y1={at} y2={at} />
      <text className="limit-text" x={left + 4} y={at < TOP + 14 ? at + 12 : at - 3}>
        {limit.text}
      </text>
    </g>
  );
}

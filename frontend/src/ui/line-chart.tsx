/** Lines over the last seconds, drawn as SVG; every line ends in its name and value. The same data stands in a table. */

import type { ReactNode } from "react";

export interface Line {
  readonly name: string;
  readonly look: "measured" | "simulated" | "quiet";
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

const W = 720;
const H = 132;
const LEFT = 44;
const RIGHT = 116;
const TOP = 10;
const BOTTOM = 20;

export function LineChart(props: LineChartProps): ReactNode {
  const top = niceTop(props);
  const x = (at: number) => LEFT + ((at - props.now + props.seconds) / props.seconds) * (W - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - Math.min(1, value / top)) * (H - TOP - BOTTOM);
  const ends = apart(props.lines.map((line) => y(lastValue(line) ?? 0)));
  return (
    <svg className="chart" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={props.label}>
      {[0, 0.5, 1].map((part) => (
        <g key={part}>
          <line className="grid" x1={LEFT} x2={W - RIGHT} y1={y(top * part)} y2={y(top * part)} />
          <text x={LEFT - 6} y={y(top * part) + 3} textAnchor="end">
            {part === 0 ? "0" : props.format(top * part)}
          </text>
        </g>
      ))}
      {[1, 2 / 3, 1 / 3, 0].map((part) => (
        <text key={part} x={x(props.now - props.seconds * part)} y={H - 5} textAnchor={part === 1 ? "start" : "middle"}>
          {part === 0 ? "now" : `−${Math.round(props.seconds * part)} s`}
        </text>
      ))}
      {props.limit && (
        <g>
          <line className="limit" x1={LEFT} x2={W - RIGHT} y1={y(props.limit.value)} y2={y(props.limit.value)} />
          <text className="limit-text" x={LEFT + 4} y={y(props.limit.value) - 3}>
            {props.limit.text}
          </text>
        </g>
      )}
      {props.lines.map((line, index) => (
        <g key={line.name} className={`line ${line.look}`}>
          <path d={pathOf(line, x, y, props.now - props.seconds)} />
          <text x={W - RIGHT + 8} y={(ends[index] ?? 0) + 3}>
            {line.end} {line.name}
          </text>
        </g>
      ))}
    </svg>
  );
}

function lastValue(line: Line): number | null {
  return line.points.at(-1)?.[1] ?? null;
}

/** The smallest 1, 2 or 5 times a power of ten above all that is drawn. */
export function niceTop(props: Pick<LineChartProps, "lines" | "limit">): number {
  let most = props.limit?.value ?? 0;
  for (const line of props.lines) for (const [, value] of line.points) most = Math.max(most, value ?? 0);
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most * 1.05));
  const factor = [1, 2, 5, 10].find((each) => each * power >= most * 1.05) ?? 10;
  return factor * power;
}

/** Moves labels apart so that no two lie closer than a line of text. */
function apart(ys: readonly number[]): number[] {
  const order = ys.map((y, index) => ({ y, index })).sort((a, b) => a.y - b.y);
  let last = Number.NEGATIVE_INFINITY;
  const result = [...ys];
  for (const { y, index } of order) {
    const placed = Math.max(y, last + 12);
    result[index] = placed;
    last = placed;
  }
  const over = last - (H - BOTTOM + 2);
  return over > 0 ? result.map((y) => y - over) : result;
}

function pathOf(line: Line, x: (at: number) => number, y: (value: number) => number, from: number): string {
  let pen = false;
  const parts: string[] = [];
  for (const [at, value] of line.points) {
    if (at < from) continue;
    if (value === null) pen = false;
    else {
      parts.push(`${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
      pen = true;
    }
  }
  return parts.join("");
}

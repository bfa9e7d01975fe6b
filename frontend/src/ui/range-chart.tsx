/** Figures over a range of time: a line of means in a band from least to most, gaps as gaps, what was predicted and what
 * happened. Arrow keys move the point whose figures are shown. */

import { type ReactNode, useState } from "react";
import { momentText, tickText, timeTicks } from "@/lib/time-axis";
import { niceTop, pathOf } from "./line-chart-geometry";
import { bandPath, gaps, meanPath, type RangePoint } from "./range-chart-geometry";
import { useWidth } from "./use-width";

export interface RangeLine {
  readonly name: string;
  readonly look: "measured" | "simulated" | "quiet" | "predicted";
  readonly points: readonly RangePoint[];
  /** The band from least to most. */
  readonly band?: boolean;
}

export interface RangeMark {
  readonly key: string;
  readonly at: number;
  readonly until: number | null;
  readonly text: string;
  /** The moment that the page stands at, not something that happened. */
  readonly shown?: boolean;
}

export interface RangeChartProps {
  label: string;
  lines: readonly RangeLine[];
  /** Seconds since 1970. */
  start: number;
  end: number;
  stepS: number;
  limit?: { value: number; text: string } | undefined;
  marks?: readonly RangeMark[];
  format: (value: number) => string;
  /** What stands beside the figures of a point. */
  beside?: (at: number) => ReactNode;
}

const H = 168;
const LEFT = 56;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 20;

export function RangeChart(props: RangeChartProps): ReactNode {
  const { width: room, ref } = useWidth(720);
  const { lines, start, end, stepS, limit, marks = [], format } = props;
  const width = Math.max(280, Math.min(1400, room));
  const right = width - RIGHT;
  const first = lines[0]?.points ?? [];
  const [chosen, choose] = useState<number | null>(null);
  const index = chosen === null ? first.length - 1 : Math.min(chosen, first.length - 1);
  const cursor = first[index] ?? null;
  const top = niceTop(
    lines.map((line) => ({ points: line.points.map(({ at, mean, most }) => [at, line.band ? most : mean] as const) })),
    limit?.value,
  );
  const x = (at: number) => LEFT + ((at - start) / (end - start)) * (right - LEFT);
  const y = (value: number) => TOP + (1 - Math.min(1, value / top)) * (H - TOP - BOTTOM);
  const near = (clientX: number, left: number) => {
    const at = start + ((clientX - left - LEFT) / (right - LEFT)) * (end - start) - stepS / 2;
    let best = 0;
    first.forEach((point, number) => {
      if (Math.abs(point.at - at) < Math.abs((first[best]?.at ?? 0) - at)) best = number;
    });
    choose(best);
  };
  return (
    <div ref={ref} className="chart-room range-chart">
      <svg
        className="chart"
        width={width}
        height={H}
        role="img"
        aria-label={props.label}
        onPointerMove={(event) => near(event.clientX, event.currentTarget.getBoundingClientRect().left)}
      >
        {gaps(
          first.map(({ at }) => at),
          stepS,
          start,
          end,
        ).map(([from, to]) => (
          <rect
            key={from}
            className="gap"
            x={x(from)}
            y={TOP}
            width={Math.max(0, x(to) - x(from))}
            height={H - TOP - BOTTOM}
          >
            <title>not measured</title>
          </rect>
        ))}
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line className="grid" x1={LEFT} x2={right} y1={y(top * part)} y2={y(top * part)} />
            <text x={LEFT - 8} y={y(top * part) + 3} textAnchor="end">
              {part === 0 ? "0" : format(top * part)}
            </text>
          </g>
        ))}
        {timeTicks(start, end, Math.max(2, Math.floor(width / 90))).map((at) => (
          <text key={at} x={x(at)} y={H - 5} textAnchor="middle">
            {tickText(at, end - start)}
          </text>
        ))}
        {limit && limit.value <= top && (
          <g>
            <line className="limit" x1={LEFT} x2={right} y1={y(limit.value)} y2={y(limit.value)} />
            <text className="limit-text" x={LEFT + 4} y={y(limit.value) - 3}>
              {limit.text}
            </text>
          </g>
        )}
        {marks.map((mark) => (
          <g key={mark.key} className={mark.shown ? "happened shown" : "happened"}>
            <title>{mark.text}</title>
            <line x1={x(mark.at)} x2={x(mark.at)} y1={TOP - 8} y2={H - BOTTOM} />
            <path d={`M${x(mark.at) - 4} ${TOP - 12}h8l-4 6z`} />
          </g>
        ))}
        {lines.map((line) => (
          <g key={line.name} className={`line ${line.look}`}>
            {line.band && <path className="reach" d={bandPath(line.points, stepS, x, y)} />}
            <path
              d={
                line.look === "predicted"
                  ? pathOf(
                      line.points.map(({ at, mean }) => [at, mean] as const),
                      x,
                      y,
                      start,
                    )
                  : meanPath(line.points, stepS, x, y)
              }
            />
          </g>
        ))}
        {cursor && (
          <line
            className="cursor"
            x1={x(cursor.at + stepS / 2)}
            x2={x(cursor.at + stepS / 2)}
            y1={TOP}
            y2={H - BOTTOM}
          />
        )}
      </svg>
      {cursor && (
        <div className="range-readout">
          <input
            type="range"
            aria-label={`Point of ${props.label}`}
            aria-valuetext={readout(cursor.at, lines, format)}
            min={0}
            max={first.length - 1}
            value={index}
            onChange={(event) => choose(Number(event.target.value))}
            style={{ marginLeft: LEFT - 8, width: right - LEFT + 16 }}
          />
          <p>
            <b className="strong">{momentText(cursor.at)}</b>{" "}
            {lines.map((line) => (
              <span key={line.name} className="nowrap">
                {valueText(line, cursor.at, format)} {line.name}
              </span>
            ))}
            {props.beside?.(cursor.at)}
          </p>
        </div>
      )}
    </div>
  );
}

function readout(at: number, lines: readonly RangeLine[], format: (value: number) => string): string {
  return `${momentText(at)}: ${lines.map((line) => `${valueText(line, at, format)} ${line.name}`).join(", ")}`;
}

function valueText(line: RangeLine, at: number, format: (value: number) => string): string {
  const point = line.points.findLast((each) => (line.look === "predicted" ? each.at <= at : each.at === at));
  if (!point || point.mean === null) return "–";
  const [least, most] = [point.least, point.most].map((value) => (value === null ? null : format(value)));
  const reach = line.band && least !== null && least !== most ? ` (${least} to ${most})` : "";
  return `${format(point.mean)}${reach}`;
}

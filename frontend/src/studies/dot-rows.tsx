/** Figures with their intervals on one axis, a row each, in groups: marks by provenance, the first one's figure at the end. */

import type { ReactNode } from "react";
import type { Estimate } from "@/api/types";
import { tick } from "@/lib/format";
import { type Scale, scaleNear, scaleOf } from "@/ui/plot-geometry";
import { useWidth } from "@/ui/use-width";

export interface Dot {
  readonly look: "simulated" | "predicted";
  readonly of: Estimate;
  /** Said on hover. */
  readonly title: string;
}

export interface DotRow {
  readonly name: string;
  readonly dots: readonly Dot[];
  /** Written at its end. */
  readonly end: string;
}

export interface DotGroup {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly DotRow[];
}

const ROW = 24;
/** Between the marks of a row, so that their intervals lie beside each other. */
const LANE = 8;
const HEAD = 22;
const LEFT = 124;
const RIGHT = 124;
const FOOT = 30;

export function DotRows(props: {
  /** Said instead of the picture; the figures stand in a table beside it. */
  label: string;
  unit: string;
  groups: readonly DotGroup[];
  /** The axis begins near the least value instead of at 0. */
  close?: boolean;
}): ReactNode {
  const { width: room, ref } = useWidth(720);
  const width = Math.max(360, Math.min(900, room - 16));
  const right = width - RIGHT;
  const scale = axisOf(props.groups, props.close === true);
  const x = (value: number) => LEFT + ((value - scale.low) / (scale.high - scale.low)) * (right - LEFT);
  const tops = topsOf(props.groups);
  const bottom = tops.at(-1) ?? 0;
  return (
    <div ref={ref} className="chart-room plot-room">
      <svg className="chart plot dot-rows" width={width} height={bottom + FOOT} role="img" aria-label={props.label}>
        {scale.ticks.map((at) => (
          <g key={at}>
            <line className={at === 0 ? "axis" : "grid"} x1={x(at)} x2={x(at)} y1={HEAD} y2={bottom + 2} />
            <text x={x(at)} y={bottom + 14} textAnchor="middle">
              {tick(at)}
            </text>
          </g>
        ))}
        <text x={right} y={bottom + 27} textAnchor="end">
          {props.unit}
          {scale.low > 0 && "; the axis does not begin at 0"}
        </text>
        {props.groups.map((group, index) => (
          <Group key={group.title} group={group} top={tops[index] ?? 0} x={x} right={right} />
        ))}
      </svg>
    </div>
  );
}

/** The top of each group, and the bottom of the last. */
function topsOf(groups: readonly DotGroup[]): number[] {
  const tops = [0];
  for (const { rows } of groups) tops.push((tops.at(-1) ?? 0) + HEAD + rows.length * ROW);
  return tops;
}

function Group(props: { group: DotGroup; top: number; x: (value: number) => number; right: number }): ReactNode {
  const { group, top, x, right } = props;
  return (
    <g>
      <text className="group-name" x={0} y={top + 15}>
        {group.title}
        <tspan className="group-note" dx={6}>
          {group.note}
        </tspan>
      </text>
      {group.rows.map((row, index) => {
        const y = top + HEAD + index * ROW + ROW / 2;
        return (
          <g key={row.name}>
            <line className="grid" x1={LEFT} x2={right} y1={y} y2={y} />
            <text className="row-name" x={LEFT - 10} y={y + 4} textAnchor="end">
              {row.name}
            </text>
            {row.dots.map((dot, lane) => (
              <DotMark key={dot.look} dot={dot} x={x} y={y + (lane - (row.dots.length - 1) / 2) * LANE} />
            ))}
            <text className="row-end" x={right + 12} y={y + 4}>
              {row.end}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function DotMark({ dot, x, y }: { dot: Dot; x: (value: number) => number; y: number }): ReactNode {
  const at = x(dot.of.value);
  const [least, most] = endsOf(dot);
  const [low, high] = [x(least), x(most)];
  return (
    <g className={dot.look}>
      <title>{dot.title}</title>
      {high - low > 1 && (
        <>
          <line className="interval-bar" x1={low} x2={high} y1={y} y2={y} />
          <line className="interval-bar" x1={low} x2={low} y1={y - 3} y2={y + 3} />
          <line className="interval-bar" x1={high} x2={high} y1={y - 3} y2={y + 3} />
        </>
      )}
      {dot.look === "simulated" ? (
        <rect x={at - 3.5} y={y - 3.5} width={7} height={7} transform={`rotate(45 ${at} ${y})`} />
      ) : (
        <circle cx={at} cy={y} r={3.5} />
      )}
    </g>
  );
}

/** Round ends around all figures and their intervals; with 0, unless `close`. */
export function axisOf(groups: readonly DotGroup[], close: boolean): Scale {
  const values = groups.flatMap(({ rows }) => rows.flatMap(({ dots }) => dots.flatMap(endsOf)));
  return close ? scaleNear(values) : scaleOf(values);
}

/** Of its interval; of a figure without one, itself. */
function endsOf({ of }: Dot): [number, number] {
  const half = of.half_width ?? 0;
  return [of.value - half, of.value + half];
}

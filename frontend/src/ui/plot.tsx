/** Points with their intervals over a figure, with predicted bands and lines; drawn as SVG at the width there is. */

import type { ReactNode } from "react";
import { apart, pathOf } from "./line-chart-geometry";
import { bandPath, type PlotPoint, reachOf, type Scale, scaleNear, scaleOf } from "./plot-geometry";
import { useWidth } from "./use-width";

export interface Series {
  readonly name: string;
  /** What its points are; `predicted` are rings, `band` a dashed line inside an accent band. */
  readonly look: "measured" | "simulated" | "predicted" | "band";
  readonly points: readonly PlotPoint[];
  /** A thin line through its points, its name at the end. */
  readonly joined?: boolean;
}

export interface PlotAxis {
  readonly title: string;
  readonly format: (value: number) => string;
  /** Numbers of things: no ticks between them. */
  readonly whole?: boolean;
}

/** Of a plot that is not given another height. */
const HEIGHT = 216;
const LEFT = 48;
const NAMES = 132;
const TOP = 20;
const BOTTOM = 34;

export function Plot(props: {
  /** Said instead of the picture; the figures stand in a table beside it. */
  label: string;
  x: PlotAxis;
  y: PlotAxis;
  series: readonly Series[];
  /** Where what was predicted is what was measured; both axes are one, from just below the least figure on. */
  diagonal?: boolean;
  /** In pixels. */
  height?: number;
}): ReactNode {
  const { width: room, ref } = useWidth(560);
  const { height = HEIGHT } = props;
  const named = props.series.filter(({ joined, look }) => joined || look === "band");
  const width = Math.max(280, Math.min(820, room - 16));
  const right = width - (named.length > 0 ? NAMES : 20);
  const { xs, ys } = reachOf(props.series.flatMap(({ points }) => points));
  const xScale = scaleOf(xs, right > 400 ? 6 : 4, props.x.whole);
  const yScale = props.diagonal ? scaleNear([...xs, ...ys], 6) : scaleOf(ys);
  const across = props.diagonal ? yScale : xScale;
  const x = place(across, LEFT, right);
  const y = place(yScale, height - BOTTOM, TOP);
  const ends = apart(
    named.map(({ points }) => y(points.at(-1)?.y ?? 0)),
    height - BOTTOM + 2,
  );
  return (
    <div ref={ref} className="chart-room plot-room">
      <svg className="chart plot" width={width} height={height} role="img" aria-label={props.label}>
        <Grid x={x} y={y} across={across} up={yScale} right={right} bottom={height} axes={props} />
        {props.diagonal && (
          <line className="diagonal" x1={x(across.low)} y1={y(across.low)} x2={x(across.high)} y2={y(across.high)} />
        )}
        {props.series.map((series) => (
          <SeriesMarks key={`${series.look} ${series.name}`} series={series} x={x} y={y} />
        ))}
        {named.map((series, index) => (
          <text key={series.name} className="series-name" x={right + 8} y={(ends[index] ?? 0) + 3}>
            {series.name}
          </text>
        ))}
      </svg>
    </div>
  );
}

type Place = (value: number) => number;

function place(scale: Scale, from: number, to: number): Place {
  return (value) => from + ((value - scale.low) / (scale.high - scale.low)) * (to - from);
}

function Grid(props: {
  x: Place;
  y: Place;
  across: Scale;
  up: Scale;
  right: number;
  bottom: number;
  axes: { x: PlotAxis; y: PlotAxis };
}): ReactNode {
  const { x, y, across, up, right, bottom, axes } = props;
  return (
    <>
      {up.ticks.map((tick) => (
        <g key={tick}>
          <line className={tick === 0 ? "axis" : "grid"} x1={LEFT} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 3} textAnchor="end">
            {axes.y.format(tick)}
          </text>
        </g>
      ))}
      {across.ticks.map((tick) => (
        <text key={tick} x={x(tick)} y={bottom - BOTTOM + 14} textAnchor="middle">
          {axes.x.format(tick)}
        </text>
      ))}
      <text x={LEFT - 6} y={10} textAnchor="start">
        {axes.y.title}
      </text>
      <text x={right} y={bottom - 5} textAnchor="end">
        {axes.x.title}
      </text>
    </>
  );
}

function SeriesMarks({ series, x, y }: { series: Series; x: Place; y: Place }): ReactNode {
  const line = pathOf(
    series.points.map((point) => [point.x, point.y] as const),
    x,
    y,
    Number.NEGATIVE_INFINITY,
  );
  if (series.look === "band") {
    return (
      <g className="band">
        <path className="reach" d={bandPath(series.points, x, y)} />
        <path className="middle" d={line} />
      </g>
    );
  }
  return (
    <g className={`points ${series.look}`}>
      {series.joined && <path className="thread" d={line} />}
      {series.points.map((point) => (
        <Point key={`${point.title} ${point.x} ${point.y}`} point={point} look={series.look} x={x(point.x)} y={y} />
      ))}
    </g>
  );
}

function Point(props: { point: PlotPoint; look: Series["look"]; x: number; y: Place }): ReactNode {
  const { point, look, x, y } = props;
  const at = y(point.y);
  return (
    <g>
      <title>{point.title}</title>
      {point.half != null && point.half > 0 && (
        <line className="interval-bar" x1={x} x2={x} y1={y(point.y - point.half)} y2={y(point.y + point.half)} />
      )}
      {look === "simulated" ? (
        <rect x={x - 3} y={at - 3} width={6} height={6} transform={`rotate(45 ${x} ${at})`} />
      ) : (
        <circle cx={x} cy={at} r={3.2} />
      )}
    </g>
  );
}

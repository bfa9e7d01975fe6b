/** How a predictor's differences are spread: how many chains carried so much more, or less, than predicted. */

import type { ReactNode } from "react";
import { count, signed, thousands, tick } from "@/lib/format";
import { predictorName } from "@/trust/words";
import { scaleOf, stepOf } from "@/ui/plot-geometry";
import { useWidth } from "@/ui/use-width";
import { type Bin, binned, spreadOf } from "./differences";

/** Bars over the whole range, about. */
const BARS = 24;
const [H, LEFT, RIGHT, TOP, BOTTOM] = [300, 48, 20, 20, 34];

export function DifferenceBars(props: { differences: readonly number[]; predictor: string }): ReactNode {
  const { width: room, ref } = useWidth(560);
  const { differences, predictor } = props;
  const width = Math.max(280, Math.min(820, room - 16));
  const bins = binned(differences, widthOf(differences));
  const across = scaleOf(
    bins.flatMap(({ from, to }) => [from, to]),
    6,
  );
  const up = scaleOf(
    bins.map((bin) => bin.count),
    5,
    true,
  );
  const x = (value: number) => LEFT + ((value - across.low) / (across.high - across.low)) * (width - LEFT - RIGHT);
  const y = (value: number) => H - BOTTOM - (value / up.high) * (H - TOP - BOTTOM);
  const spread = spreadOf(differences);
  if (!spread) return null;
  const middle = `95 % lie between ${signed(spread.low)} and ${signed(spread.high)} points`;
  return (
    <figure aria-label="Spread of differences">
      <figcaption className="t2">Carried − predicted; {middle}</figcaption>
      <div ref={ref} className="chart-room plot-room">
        <svg
          className="chart plot"
          width={width}
          height={H}
          role="img"
          aria-label={`Chains by how much more they carried than ${predictorName(predictor)} predicted: ${middle}`}
        >
          {up.ticks.map((each) => (
            <g key={each}>
              <line className={each === 0 ? "axis" : "grid"} x1={LEFT} x2={width - RIGHT} y1={y(each)} y2={y(each)} />
              <text x={LEFT - 6} y={y(each) + 3} textAnchor="end">
                {thousands(each)}
              </text>
            </g>
          ))}
          {bins.map((bin) => (
            <Bar key={bin.from} bin={bin} x={x} y={y} />
          ))}
          <line className="diagonal" x1={x(0)} x2={x(0)} y1={TOP - 4} y2={H - BOTTOM} />
          {across.ticks.map((each) => (
            <text key={each} x={x(each)} y={H - BOTTOM + 14} textAnchor="middle">
              {tick(each)}
            </text>
          ))}
          <text x={LEFT - 6} y={10}>
            chains
          </text>
          <text x={width - RIGHT} y={H - 5} textAnchor="end">
            points of the throughput alone
          </text>
        </svg>
      </div>
    </figure>
  );
}

function Bar({ bin, x, y }: { bin: Bin; x: (value: number) => number; y: (value: number) => number }): ReactNode {
  if (bin.count === 0) return null;
  const { from, to } = bin;
  return (
    <rect
      className="bin"
      x={x(from) + 0.5}
      width={Math.max(1, x(to) - x(from) - 1)}
      y={y(bin.count)}
      height={y(0) - y(bin.count)}
    >
      <title>
        {signed(from)} to {signed(to)} points: {count(bin.count, "chain")}
      </title>
    </rect>
  );
}

function widthOf(sorted: readonly number[]): number {
  const range = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  return range > 0 ? stepOf(range / BARS) : 1;
}

/** What a chain carries now and what it would, with the interval, on one scale. */

import type { ReactNode } from "react";
import type { ChainPrediction, ChainView } from "@/api/types";
import { figure } from "@/lib/format";
import { intervalText } from "@/trust/words";

const [W, H, MARGIN, MIDDLE] = [240, 26, 8, 8];
/** Of what is shown is left free on either side, and at least so much of the value is shown. */
const [FREE, LEAST] = [0.2, 0.05];

export function IntervalBar(props: {
  prediction: Pick<ChainPrediction, "throughput_mpps" | "low_mpps" | "high_mpps" | "interval_source" | "interval_note">;
  /** Undefined where nothing is measured of it. */
  now?: Pick<ChainView, "sample" | "provenance"> | undefined;
}): ReactNode {
  const { prediction, now } = props;
  const { throughput_mpps: value, low_mpps: low, high_mpps: high } = prediction;
  // Assumed figures have no interval: there is nothing to draw.
  if (value === null || low == null || high == null) return null;
  const delivered = now?.sample?.delivered_mpps ?? null;
  const { from, to } = rangeOf([low, high, value, ...(delivered === null ? [] : [delivered])]);
  const x = (mpps: number) => MARGIN + ((mpps - from) / (to - from)) * (W - 2 * MARGIN);
  const measured = delivered === null ? "" : `; now ${figure(delivered)}, ${now?.provenance}`;
  const source = intervalText(prediction) || "95 % interval";
  return (
    <svg
      className="chart interval-strip"
      viewBox={`0 0 ${W} ${H}`}
      role="img"
      aria-label={`predicted ${figure(value)} Mpps, ${figure(low)} to ${figure(high)}: ${source}${measured}`}
    >
      <line className="grid" x1={MARGIN} x2={W - MARGIN} y1={MIDDLE} y2={MIDDLE} />
      <rect className="band" x={x(low)} width={Math.max(1, x(high) - x(low))} y={MIDDLE - 5} height={10} />
      <path className="ends" d={`M${x(low)} ${MIDDLE - 6}v12M${x(high)} ${MIDDLE - 6}v12`} />
      <circle className="predicted" cx={x(value)} cy={MIDDLE} r={3.2} />
      {delivered !== null && <circle className={now?.provenance} cx={x(delivered)} cy={MIDDLE} r={3.2} />}
      <text x={MARGIN} y={H - 2}>
        {figure(from)}
      </text>
      <text x={W - MARGIN} y={H - 2} textAnchor="end">
        {figure(to)} Mpps
      </text>
    </svg>
  );
}

/** Ends of a scale that shows all values apart: it does not begin at 0, so it says where it does. */
export function rangeOf(values: readonly number[]): { from: number; to: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(most - least, LEAST * most, 1e-6);
  const middle = (least + most) / 2;
  return { from: Math.max(0, middle - span * (0.5 + FREE)), to: middle + span * (0.5 + FREE) };
}

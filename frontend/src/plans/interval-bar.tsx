/** What a chain carries now and what it would, with the interval, on one scale from 0. */

import type { ReactNode } from "react";
import type { ChainPrediction, ChainView } from "@/api/types";
import { figure } from "@/lib/format";
import type { Origin } from "@/ui/marks";

const [W, H, MARGIN] = [240, 16, 6];

export function IntervalBar(props: {
  prediction: Pick<ChainPrediction, "throughput_mpps" | "low_mpps" | "high_mpps">;
  /** Undefined where nothing is measured of it. */
  now?: Pick<ChainView, "sample" | "provenance"> | undefined;
  /** Where there is no model to tell it by: assumed figures have no interval. */
  origin: Origin;
}): ReactNode {
  const { prediction, now, origin } = props;
  const { throughput_mpps: value, low_mpps: low, high_mpps: high } = prediction;
  if (value === null || low == null || high == null) return null;
  const delivered = now?.sample?.delivered_mpps ?? null;
  const top = Math.max(high, delivered ?? 0, 1e-9);
  const x = (mpps: number) => MARGIN + (mpps / top) * (W - 2 * MARGIN);
  const measured = delivered === null ? "" : `; now ${figure(delivered)}, ${now?.provenance}`;
  return (
    <svg
      className="interval-strip"
      viewBox={`0 0 ${W} ${H}`}
      role="img"
      aria-label={`${origin} ${figure(value)} Mpps, 95 % interval ${figure(low)} to ${figure(high)}${measured}`}
    >
      <line className="axis" x1={MARGIN} x2={W - MARGIN} y1={H / 2} y2={H / 2} />
      <rect className="band" x={x(low)} width={Math.max(1, x(high) - x(low))} y={3} height={H - 6} />
      {delivered !== null && <circle className={now?.provenance} cx={x(delivered)} cy={H / 2} r={3.2} />}
      <circle className="predicted" cx={x(value)} cy={H / 2} r={3.2} />
    </svg>
  );
}

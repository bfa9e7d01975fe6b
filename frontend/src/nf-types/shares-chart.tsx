/** Measured shares by rate, and the line through them; drawn as SVG. */

import type { ReactNode } from "react";
import type { SharesVersion } from "@/api/types";
import { figure } from "@/lib/format";
import { useWidth } from "@/ui/use-width";
import { drawn, lineText } from "./shares";

const HEIGHT = 180;
const LEFT = 36;
const RIGHT = 12;
const TOP = 20;
const BOTTOM = 34;
const PERCENTS = [0, 20, 40, 60, 80, 100];
const PARTS = [0.25, 0.5, 0.75, 1];

export function SharesChart({ version }: { version: SharesVersion }): ReactNode {
  const { width: room, ref } = useWidth(420);
  const { most, points, ends } = drawn(version);
  if (points.length === 0) return null;
  const width = Math.max(240, Math.min(620, room));
  const look = version.provenance === "simulated" ? "simulated" : "measured";
  const x = (mpps: number) => LEFT + (mpps / most) * (width - RIGHT - LEFT);
  const y = (percent: number) => TOP + (1 - Math.min(percent, 100) / 100) * (HEIGHT - TOP - BOTTOM);
  return (
    <div ref={ref} className="chart-room">
      <svg
        className="chart plot"
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`Shares by rate. ${lineText(version)}`}
      >
        {PERCENTS.map((percent) => (
          <g key={percent}>
            <line
              className={percent === 0 ? "axis" : "grid"}
              x1={LEFT}
              x2={width - RIGHT}
              y1={y(percent)}
              y2={y(percent)}
            />
            <text x={LEFT - 6} y={y(percent) + 3} textAnchor="end">
              {percent}
            </text>
          </g>
        ))}
        {PARTS.map((part) => (
          <text key={part} x={x(part * most)} y={HEIGHT - BOTTOM + 14} textAnchor={part === 1 ? "end" : "middle"}>
            {figure(part * most)}
          </text>
        ))}
        <text x={0} y={10}>
          of a core, %
        </text>
        <text x={width - RIGHT} y={HEIGHT - 5} textAnchor="end">
          Mpps
        </text>
        {ends && (
          <g className={`front ${look}`}>
            <path d={`M${x(0)} ${y(ends[0])}L${x(most)} ${y(ends[1])}`} />
          </g>
        )}
        <g className={`points ${look}`}>
          {points.map(({ mpps, percent }) => (
            <g key={mpps} className="level">
              <title>{`${figure(mpps)} Mpps: ${figure(percent)} % of a core`}</title>
              <circle cx={x(mpps)} cy={y(percent)} r={3.2} />
            </g>
          ))}
        </g>
      </svg>
    </div>
  );
}

/** A small picture of the rate over time; the line across is the mean. */

import type { ReactNode } from "react";
import { figure } from "@/lib/format";
import { arrivalBars } from "./arrivals-shape";
import { offered, type Traffic } from "./traffic-figures";
import { arrivalsWords } from "./traffic-words";

const WIDTH = 200;
const HEIGHT = 26;

export function ArrivalsPicture({ traffic }: { traffic: Traffic }): ReactNode {
  const bars = arrivalBars(traffic.arrivals ?? { kind: "constant" });
  const peak = Math.max(...bars.map(({ factor }) => factor), 2);
  const words = arrivalsWords(traffic.arrivals ?? null) ?? "constant";
  const { peakMpps } = offered(traffic);
  const extreme = peakMpps > traffic.rate_mpps ? `, ${figure(peakMpps)} Mpps at most` : "";
  return (
    <figure className="arrivals-picture">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ start, width, factor }) => (
          <rect
            key={start}
            x={start * WIDTH}
            y={HEIGHT - (factor / peak) * HEIGHT}
            width={width * WIDTH}
            height={(factor / peak) * HEIGHT}
          />
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT - HEIGHT / peak} y2={HEIGHT - HEIGHT / peak} />
      </svg>
      <figcaption className="t3">
        {words}
        {extreme}
      </figcaption>
    </figure>
  );
}

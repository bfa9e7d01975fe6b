/** A small picture of the rate over time; the line across is the mean. */

import type { ReactNode } from "react";
import { arrivalBars } from "./arrivals-shape";
import type { Arrivals } from "./traffic-figures";
import { arrivalsWords } from "./traffic-words";

const WIDTH = 200;
const HEIGHT = 26;

export function ArrivalsPicture({ arrivals }: { arrivals: Arrivals }): ReactNode {
  const bars = arrivalBars(arrivals);
  const peak = Math.max(...bars.map(({ factor }) => factor), 2);
  const words =
    arrivals.kind === "poisson" ? "an example: gaps are exponentially distributed" : arrivalsWords(arrivals);
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
      <figcaption className="t3">{words}</figcaption>
    </figure>
  );
}

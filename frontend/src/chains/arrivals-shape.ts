/** How packets of one mean rate arrive over time, as bars: what a small picture shows of it. Pure. */

import { type Arrivals, roundOf } from "./traffic-figures";

export interface Bar {
  /** Both as shares of the time that is shown. */
  readonly start: number;
  readonly width: number;
  /** Rate over the mean rate. */
  readonly factor: number;
}

/** Of Poisson arrivals: intervals that are shown, and packets that one has in the mean. */
const INTERVALS = 40;
const PACKETS = 8;

/** Two rounds of bursts, one of a trace; of Poisson, a drawn example, always the same. */
export function arrivalBars(arrivals: Arrivals): Bar[] {
  if (arrivals.kind === "poisson") return poissonBars();
  const once = roundOf(arrivals);
  if (!once) return [{ start: 0, width: 1, factor: 1 }];
  const steps = arrivals.kind === "on-off" ? [...once, ...once] : once;
  const seconds = steps.reduce((total, [each]) => total + each, 0);
  let start = 0;
  return steps.map(([each, factor]) => {
    const bar = { start, width: each / seconds, factor };
    start += bar.width;
    return bar;
  });
}

function poissonBars(): Bar[] {
  const counts = new Array<number>(INTERVALS).fill(0);
  const random = generator(7);
  for (let at = gap(random()); at < INTERVALS; at += gap(random())) {
    const interval = Math.floor(at);
    counts[interval] = (counts[interval] ?? 0) + 1;
  }
  return counts.map((n, index) => ({ start: index / INTERVALS, width: 1 / INTERVALS, factor: n / PACKETS }));
}

/** Exponentially distributed. */
function gap(uniform: number): number {
  return -Math.log(1 - uniform) / PACKETS;
}

/** Uniform in [0, 1): the linear congruential generator of Numerical Recipes. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

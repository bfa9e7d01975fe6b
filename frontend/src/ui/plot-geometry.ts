/** Scales of a plot of points over a figure. Pure. */

/** One axis: from where to where, and where its numbers stand. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

/** The smallest 1, 2 or 5 times a power of ten that is not below `least`. */
export function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((each) => each * power >= least * 0.999) ?? 10) * power;
}

/** Round ends around all values, always with 0, and at most `most` steps between them. */
export function scaleOf(values: readonly number[], most = 5, whole = false): Scale {
  let [low, high] = [0, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high - low <= 0) high = 1;
  const fine = stepOf((high - low) / most);
  const step = whole ? Math.max(1, fine) : fine;
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  // + 0: no number is minus zero.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step + 0);
  return { low: first * step, high: last * step, ticks };
}

/** As `scaleOf`, but from just below the least value instead of from 0, where all are above it. */
export function scaleNear(values: readonly number[], most = 5): Scale {
  const [least, greatest] = endsOf(values);
  if (!(least > 0)) return scaleOf(values, most);
  const step = stepOf((greatest - least || greatest) / most);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(greatest / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { low: first * step, high: last * step, ticks };
}

function endsOf(values: readonly number[]): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return Number.isFinite(least) ? [least, greatest] : [0, 0];
}

/** A drawn point; `half`: of its interval. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  readonly half?: number | null;
  /** Said on hover: what it is, in figures. */
  readonly title: string;
}

/** Two lines around knots, as one closed path; empty for less than two knots. */
export function bandPath(
  knots: readonly PlotPoint[],
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  if (knots.length < 2) return "";
  const at = (knot: PlotPoint, side: 1 | -1) =>
    `${x(knot.x).toFixed(1)} ${y(knot.y + side * (knot.half ?? 0)).toFixed(1)}`;
  const upper = knots.map((knot) => at(knot, 1));
  const lower = [...knots].reverse().map((knot) => at(knot, -1));
  return `M${[...upper, ...lower].join("L")}Z`;
}

/** Ends of all that is drawn, intervals included. */
export function reachOf(points: readonly PlotPoint[]): { xs: number[]; ys: number[] } {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const { x, y, half } of points) {
    xs.push(x);
    ys.push(y - (half ?? 0), y + (half ?? 0));
  }
  return { xs, ys };
}

/** Paths of a chart over a range of time: lines and bands break where nothing was measured. Pure. */

export interface RangePoint {
  /** Beginning of the point, in seconds since 1970. */
  readonly at: number;
  readonly mean: number | null;
  readonly least: number | null;
  readonly most: number | null;
}

type Scale = (value: number) => number;

/** Samples come once a second, at any moment of it: a second without one beside a second with two is no gap. */
const JITTER_S = 1.5;

/** Points that lie side by side, without a gap: each begins where the one before ends. */
export function runs(points: readonly RangePoint[], stepS: number): RangePoint[][] {
  const found: RangePoint[][] = [];
  let last: RangePoint | null = null;
  for (const point of points) {
    if (point.mean === null) {
      last = null;
      continue;
    }
    if (last === null || point.at - last.at > stepS + Math.max(stepS * 0.5, JITTER_S)) found.push([]);
    found.at(-1)?.push(point);
    last = point;
  }
  return found;
}

/** Through the means, each in the middle of its point; a point alone is as long as it is. */
export function meanPath(points: readonly RangePoint[], stepS: number, x: Scale, y: Scale): string {
  return runs(points, stepS)
    .map((run) => {
      const [first] = run;
      if (run.length === 1 && first) {
        const at = y(first.mean ?? 0).toFixed(1);
        return `M${x(first.at).toFixed(1)} ${at}L${x(first.at + stepS).toFixed(1)} ${at}`;
      }
      return run
        .map(
          ({ at, mean }, index) =>
            `${index === 0 ? "M" : "L"}${x(at + stepS / 2).toFixed(1)} ${y(mean ?? 0).toFixed(1)}`,
        )
        .join("");
    })
    .join("");
}

/** Between least and most. */
export function bandPath(points: readonly RangePoint[], stepS: number, x: Scale, y: Scale): string {
  return runs(points, stepS)
    .map((run) => {
      const at = (point: RangePoint) => x(point.at + (run.length === 1 ? 0 : stepS / 2));
      const up = run.map((point) => `${at(point).toFixed(1)} ${y(point.most ?? point.mean ?? 0).toFixed(1)}`);
      const down = run.map((point) => `${at(point).toFixed(1)} ${y(point.least ?? point.mean ?? 0).toFixed(1)}`);
      return `M${up.join("L")}L${down.reverse().join("L")}Z`;
    })
    .join("");
}

/** The times in which nothing was measured, from `start` to `end`. */
export function gaps(ats: readonly number[], stepS: number, start: number, end: number): [number, number][] {
  const found: [number, number][] = [];
  let covered = start;
  for (const at of ats) {
    if (at - covered > Math.max(stepS * 0.5, JITTER_S)) found.push([covered, at]);
    covered = Math.max(covered, at + stepS);
  }
  if (end - covered > stepS * 1.5) found.push([covered, end]);
  return found;
}

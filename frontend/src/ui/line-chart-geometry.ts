/** Scales and paths of a line chart. Pure. */

type Points = readonly (readonly [number, number | null])[];

/** A limit so many times above the data is given in words: drawn, it would flatten the line. */
const FAR = 2.5;

/** The smallest 1, 2 or 5 times a power of ten above all that is drawn; a limit counts if it is not far away. */
export function niceTop(lines: readonly { points: Points }[], limit?: number): number {
  let most = 0;
  for (const line of lines) for (const [, value] of line.points) most = Math.max(most, value ?? 0);
  if (limit !== undefined && (most === 0 || limit <= most * FAR)) most = Math.max(most, limit);
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most * 1.05));
  const factor = [1, 2, 5, 10].find((each) => each * power >= most * 1.05) ?? 10;
  return factor * power;
}

/** Moves labels apart so that no two lie closer than a line of text, and none below `lowest`. */
export function apart(ys: readonly number[], lowest: number): number[] {
  const order = ys.map((y, index) => ({ y, index })).sort((a, b) => a.y - b.y);
  const result = [...ys];
  let last = Number.NEGATIVE_INFINITY;
  for (const { y, index } of order) {
    last = Math.max(y, last + 12);
    result[index] = last;
  }
  const over = last - lowest;
  return over > 0 ? result.map((y) => y - over) : result;
}

/** An SVG path; null lifts the pen. */
export function pathOf(points: Points, x: (at: number) => number, y: (value: number) => number, from: number): string {
  let pen = false;
  const parts: string[] = [];
  for (const [at, value] of points) {
    if (at < from) continue;
    if (value === null) pen = false;
    else {
      parts.push(`${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
      pen = true;
    }
  }
  return parts.join("");
}

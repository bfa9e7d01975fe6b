/** The scrubber's time: which moments it can stand at, and how it moves. Pure. */

import type { HistoryMark } from "@/api/types";
import { type RangeKey, secondsOf } from "./ranges";

/** The scrubber shows so much at once; the moment lies within. */
export interface Window {
  /** Seconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Between two places of the scrubber. */
  readonly stepS: number;
}

/** Intervals of the roll-up: ten seconds within six hours, five minutes beyond, an hour for a year. */
export function stepOf(span: RangeKey): number {
  const seconds = secondsOf(span);
  if (seconds <= 21_600) return 10;
  return seconds <= 2_592_000 ? 300 : 3600;
}

/** Up to now, or, where the moment lies further back, around the moment. */
export function windowOf(atMs: number, nowMs: number, span: RangeKey): Window {
  const stepS = stepOf(span);
  const length = secondsOf(span);
  const now = Math.floor(nowMs / 1000 / stepS) * stepS;
  const at = atMs / 1000;
  const start = now - length;
  if (at >= start) return { start, end: now, stepS };
  const middle = Math.floor((at - length / 2) / stepS) * stepS;
  return { start: middle, end: middle + length, stepS };
}

/** The nearest place of the scrubber. */
export function placed(at: number, { start, end, stepS }: Window): number {
  return Math.min(end, Math.max(start, start + Math.round((at - start) / stepS) * stepS));
}

/** What lies within, with its place from 0 to 1; what began before stands at the beginning. */
export function marksWithin(
  marks: readonly HistoryMark[],
  { start, end }: Window,
): { mark: HistoryMark; at: number; place: number }[] {
  return marks.flatMap((mark) => {
    const at = Date.parse(mark.at) / 1000;
    return at < start || at > end ? [] : [{ mark, at, place: (at - start) / (end - start) }];
  });
}

/** The next mark after a moment, or the last before it; null where there is none. */
export function neighbour(ats: readonly number[], from: number, way: 1 | -1): number | null {
  const sorted = [...ats].sort((a, b) => a - b);
  const found = way === 1 ? sorted.find((at) => at > from) : sorted.findLast((at) => at < from);
  return found ?? null;
}

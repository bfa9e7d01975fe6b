/** Labels of a time axis: few, at round times of the reader's day. Pure. */

import { clockMinutes, clockSeconds, dayOfShortYear, dayOfYear, dayWithYear } from "./clock-words";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const STEPS = [
  10,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  60 * DAY,
  91 * DAY,
  182 * DAY,
  365 * DAY,
];

/** Seconds since 1970 of at most `most` labels between the two, at whole steps of local time. */
export function timeTicks(start: number, end: number, most: number): number[] {
  const step = STEPS.find((each) => (end - start) / each <= most) ?? 365 * DAY;
  const shift = new Date(start * 1000).getTimezoneOffset() * 60;
  const first = Math.ceil((start - shift) / step) * step + shift;
  const ticks: number[] = [];
  for (let at = first; at < end; at += step) ticks.push(at);
  return ticks;
}

/** "14:10:30" within minutes, "14:10" within a day, "25 Nov" beyond; midnight says its day. */
export function tickText(at: number, lengthS: number): string {
  const time = new Date(at * 1000);
  const midnight = time.getHours() === 0 && time.getMinutes() === 0;
  if (lengthS > 3 * DAY || (midnight && lengthS > 10 * MINUTE)) {
    return lengthS > 300 * DAY ? dayOfShortYear(time) : dayOfYear(time);
  }
  return lengthS <= 5 * MINUTE ? clockSeconds(time) : clockMinutes(time);
}

/** "25 Nov 14:10:30": a moment of the past, with its day. */
export function momentText(at: number): string {
  const time = new Date(at * 1000);
  const day = time.getFullYear() === new Date().getFullYear() ? dayOfYear(time) : dayWithYear(time);
  return `${day} ${clockSeconds(time)}`;
}

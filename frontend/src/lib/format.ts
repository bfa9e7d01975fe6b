/** Figures and times as the console writes them: tabular, few digits, true minus, thin space in thousands. */

import { clockMinutes, clockSeconds, dayOfYear, dayWithYear } from "./clock-words";

export const DASH = "–";
/** Marks of provenance in plain text. */
export const SIGNS = { measured: "●", predicted: "○", simulated: "◇", assumed: "□" } as const;
const THIN = "\u2009";
const MINUS = "−";

/** 48080 -> "48 080" (thin space). */
export function thousands(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A figure of any size: 0, 0.04, 0.61, 6.1, 341.8, 48 080. `null` and undefined give a dash. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (size === 0) return "0";
  if (size < 0.001) return `${sign}<0.001`;
  if (size < 0.095) return sign + size.toFixed(3).replace(/0$/, "");
  if (size < 0.995) return sign + size.toFixed(2);
  if (size < 999.95) return sign + size.toFixed(1);
  return sign + thousands(size);
}

/** A number on an axis: as few digits as it needs, at most three. */
export function tick(value: number): string {
  const size = Math.abs(value);
  const text = size < 999.5 ? String(Number(size.toPrecision(3))) : thousands(size);
  return value < 0 ? MINUS + text : text;
}

/** A percentage: whole above 10, one decimal below; "<0.1" where that would show 0.0. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (value >= 9.95) return value.toFixed(0);
  if (value > 0 && value < 0.05) return "<0.1";
  return value === 0 ? "0" : value.toFixed(1);
}

/** A difference with its sign. */
export function signed(value: number | null | undefined): string {
  if (value === null || value === undefined) return DASH;
  return value > 0 ? `+${figure(value)}` : figure(value);
}

/** Microseconds as "412 µs" or "1.42 ms". */
export function latency(us: number | null | undefined): string {
  if (us === null || us === undefined || !Number.isFinite(us)) return DASH;
  if (us < 9.95) return `${us.toFixed(1)} µs`;
  if (us < 999.5) return `${us.toFixed(0)} µs`;
  return `${(us / 1000).toFixed(us < 99_950 ? 2 : 0)} ms`;
}

/** A latency for an axis or a limit, without idle zeros: "50 ms", "1.5 ms". */
export function latencyShort(us: number): string {
  return latency(us)
    .replace(/(\.\d*?)0+(?= )/, "$1")
    .replace(/\.(?= )/, "");
}

/** "1 host", "1 000 hosts". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${thousands(n)} ${n === 1 ? one : many}`;
}

/** "712 B", "310 kB", "12.4 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Seconds as "0.4 s", "14 s", "4 min", "3 h", "2 d". */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  if (seconds < 7170) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_000) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** "14:41:52" today, "12 Nov 09:14" on another day, "12 Nov 2027 09:14" in another year. */
export function when(iso: string | null | undefined, now: Date = new Date()): string {
  return iso ? instant(new Date(iso), now) : DASH;
}

/** The same of an instant. A clock alone is for the seconds of today: on any other day it would be another's. */
export function instant(time: Date, now: Date = new Date()): string {
  if (time.toDateString() === now.toDateString()) return clockSeconds(time);
  const day = time.getFullYear() === now.getFullYear() ? dayOfYear(time) : dayWithYear(time);
  return `${day} ${clockMinutes(time)}`;
}

/** Seconds between an instant and now, never negative. */
export function secondsSince(iso: string, nowMs: number): number {
  return Math.max(0, (nowMs - Date.parse(iso)) / 1000);
}

/** An age under ten minutes as an age ("4 min"), an older one as a time. */
export function ageOrTime(iso: string | null | undefined, nowMs: number): string {
  if (!iso) return DASH;
  const seconds = secondsSince(iso, nowMs);
  return seconds < 600 ? `${duration(seconds)} ago` : when(iso, new Date(nowMs));
}

/** The first eight hexadecimal digits of "sha256:...". */
export function shortDigest(digest: string | null | undefined): string {
  return digest ? digest.replace(/^sha256:/, "").slice(0, 8) : DASH;
}

/** "9 min 40 s", "12 s"; null once that time has come. */
export function timeLeft(expiresAt: string, now: number): string | null {
  const seconds = Math.floor((Date.parse(expiresAt) - now) / 1000);
  if (!(seconds > 0)) return null;
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** "4.49 value × Mpps": what the API words for terminals, as the page writes it. */
export function timesSign(text: string): string {
  return text.replaceAll("value x Mpps", "value × Mpps");
}

/** Ranges of time that an operator chooses, as addresses hold them. Pure. */

export const RANGES = [
  { key: "15min", text: "15 min", seconds: 900 },
  { key: "1h", text: "1 h", seconds: 3600 },
  { key: "6h", text: "6 h", seconds: 21_600 },
  { key: "24h", text: "24 h", seconds: 86_400 },
  { key: "7d", text: "7 d", seconds: 604_800 },
  { key: "30d", text: "30 d", seconds: 2_592_000 },
  { key: "365d", text: "1 y", seconds: 31_536_000 },
] as const;

export type RangeKey = (typeof RANGES)[number]["key"];

/** A range up to now, or, where `from` and `to` are given, between these. */
export interface RangeSearch {
  range?: RangeKey;
  from?: string;
  to?: string;
}

export function isRange(value: unknown): value is RangeKey {
  return RANGES.some(({ key }) => key === value);
}

/** An instant as addresses hold it; null where it is none, or no year that the API takes. */
export function instantOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 40) return null;
  const time = new Date(value);
  const year = time.getUTCFullYear();
  return Number.isNaN(time.getTime()) || year < 2000 || year > 9998 ? null : time.toISOString();
}

export function rangeSearch(raw: Record<string, unknown>): RangeSearch {
  const [from, to] = [instantOf(raw.from), instantOf(raw.to)];
  if (from && to && from < to) return { from, to };
  return isRange(raw.range) ? { range: raw.range } : {};
}

/** How long a range is. */
export function secondsOf(key: RangeKey): number {
  return RANGES.find((range) => range.key === key)?.seconds ?? 3600;
}

/** What is asked for now: a range up to now begins and ends at a whole step, so that it is not another one each second. */
export function between(search: RangeSearch, nowMs: number): { from: string; to: string } {
  if (search.from && search.to) return { from: search.from, to: search.to };
  const seconds = secondsOf(search.range ?? DEFAULT_RANGE);
  const everyMs = refreshMs(search) ?? 10_000;
  const to = Math.floor(nowMs / everyMs) * everyMs;
  return { from: new Date(to - seconds * 1000).toISOString(), to: new Date(to).toISOString() };
}

export const DEFAULT_RANGE: RangeKey = "1h";

/** How often a range up to now is asked for again: a few points, at most every ten seconds; null: it lies in the past. */
export function refreshMs(search: RangeSearch): number | null {
  if (search.from && search.to) return null;
  return Math.max(10_000, Math.min(300_000, (secondsOf(search.range ?? DEFAULT_RANGE) * 1000) / 300));
}

/** For `<input type="datetime-local">`: local time to the minute. */
export function localInput(iso: string): string {
  const time = new Date(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

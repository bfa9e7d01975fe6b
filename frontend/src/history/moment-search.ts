/** The moment that a page is shown at, as addresses hold it. Pure. */

import { instantOf, isRange, type RangeKey } from "./ranges";

export interface MomentSearch {
  /** The moment; now, where there is none. */
  at?: string;
  /** The moment that it is compared with. */
  with?: string;
  /** How much time the bar of moments shows. */
  span?: RangeKey;
}

export function momentSearch(raw: Record<string, unknown>): MomentSearch {
  const [at, other] = [instantOf(raw.at), instantOf(raw.with)];
  if (at === null) return {};
  return { at, ...(other ? { with: other } : {}), ...(isRange(raw.span) ? { span: raw.span } : {}) };
}

/** A minute ago: that is rolled up. */
export function aMomentAgo(): string {
  return new Date(Math.floor(Date.now() / 10_000) * 10_000 - 60_000).toISOString();
}

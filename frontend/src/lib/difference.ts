/** How far off a prediction was: one figure and one text for maps, pages, trust and outcomes. Pure. */

import { percent } from "./format";

/** Measured less predicted, in percent of predicted; null where nothing was predicted that it could be a part of. */
export function percentOfPredicted(measured: number, predicted: number): number | null {
  if (predicted > 0) return (100 * (measured - predicted)) / predicted;
  return measured > 0 ? null : 0;
}

/** "−3.2", "+0.4", "0"; in percent. */
export function differenceText(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return percent(null);
  if (Math.abs(value) < 0.05) return "0";
  return `${value < 0 ? "−" : "+"}${percent(Math.abs(value))}`;
}

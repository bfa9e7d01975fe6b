/** Answers of the API as points of a chart. Pure. */

import type { History, HistoryMark } from "@/api/types";
import type { RangeMark } from "@/ui/range-chart";
import type { RangePoint } from "@/ui/range-chart-geometry";

/** Of one figure; empty where the answer does not have it. */
export function pointsOf(history: History, figure: string): RangePoint[] {
  const series = history.series.find((one) => one.figure === figure);
  if (!series) return [];
  return history.at.map((at, index) => ({
    at,
    mean: series.mean[index] ?? null,
    least: series.least[index] ?? null,
    most: series.most[index] ?? null,
  }));
}

/** What the plan in force predicted, as a line of steps; broken where that plan predicts nothing. */
export function predictedPoints(history: History): RangePoint[] {
  const seconds = (at: string) => Date.parse(at) / 1000;
  const [start, end] = [seconds(history.start), seconds(history.end)];
  const steps = history.predictions ?? [];
  return steps.flatMap((one, index) => {
    const from = Math.max(start, seconds(one.at));
    const until = one.until ? Math.min(end, seconds(one.until)) : end;
    if (until <= from) return [];
    const value = { mean: one.predicted_mpps, least: one.low_mpps, most: one.high_mpps };
    const next = steps[index + 1];
    const ends = until < end && (!next || seconds(next.at) > until);
    const nothing = { at: until, mean: null, least: null, most: null };
    return [{ at: from, ...value }, { at: until, ...value }, ...(ends ? [nothing] : [])];
  });
}

/** "● measured", "◇ simulated", or both where a range has both. */
export function originsOf(history: History): readonly ("measured" | "simulated")[] {
  const simulated = history.provenance.includes("simulated");
  const measured = history.provenance.includes("measured");
  return [...(measured ? (["measured"] as const) : []), ...(simulated ? (["simulated"] as const) : [])];
}

/** "operation 7: Apply plan 7 (COMPLETED)". */
export function markText(mark: HistoryMark): string {
  return `${mark.kind} ${mark.id}: ${mark.title} (${mark.state})`;
}

/** The moment that the page shows, on its own charts. */
export function shownMark(at: string | undefined, { start, end }: History): RangeMark[] {
  if (at === undefined || at < new Date(start).toISOString() || at > new Date(end).toISOString()) return [];
  return [
    { key: "shown", at: Date.parse(at) / 1000, until: null, text: "the moment that this page shows", shown: true },
  ];
}

/** What began within the range, as a chart draws it. */
export function chartMarks(marks: readonly HistoryMark[], { start }: History): RangeMark[] {
  const from = Date.parse(start) / 1000;
  return marks.flatMap((mark) => {
    const at = Date.parse(mark.at) / 1000;
    const until = mark.until ? Date.parse(mark.until) / 1000 : null;
    return at < from ? [] : [{ key: `${mark.kind}${mark.id}`, at, until, text: markText(mark) }];
  });
}

/** What happened to a chain from before an operation to after it. Pure. */

import type { ChainPrediction, History, HistoryPrediction, Operation } from "@/api/types";
import { count, percent, thousands } from "@/lib/format";
import type { RangeMark } from "@/ui/range-chart";
import type { RangePoint } from "@/ui/range-chart-geometry";
import { STEP_TITLES } from "./words";

const BEFORE_S = 30;
const AFTER_S = 60;
const EVERY_S = 5;

/** The range to show, and whether it still grows. It begins and ends at whole steps, so that it is not another one each
 * second. */
export function rangeOf(operation: Operation, nowMs: number): { from: string; to: string; grows: boolean } {
  const whole = (ms: number) => new Date(Math.floor(ms / 1000 / EVERY_S) * EVERY_S * 1000).toISOString();
  const from = Date.parse(operation.created_at) - BEFORE_S * 1000;
  const ends = operation.finished_at ? Date.parse(operation.finished_at) + AFTER_S * 1000 : Number.POSITIVE_INFINITY;
  return { from: whole(from), to: whole(Math.min(ends, nowMs)), grows: nowMs < ends };
}

/** When each host was ordered, and when it had what was ordered: between the two, packets change their way. */
export function stepMarks(operation: Operation): RangeMark[] {
  return operation.hosts.flatMap(({ host, steps }) =>
    steps.flatMap(({ name, state, started_at, finished_at }) => {
      if (name !== "converge") return [];
      const title = STEP_TITLES[name];
      const begun = started_at ? [mark(`${host} begins`, started_at, `${host}: ${title} begins`)] : [];
      const done = finished_at ? [mark(`${host} ends`, finished_at, `${host}: ${title} ${state}`)] : [];
      return [...begun, ...done];
    }),
  );
}

function mark(key: string, at: string, text: string): RangeMark {
  return { key, at: Date.parse(at) / 1000, until: null, text };
}

/** What an operation put in force. */
export interface Applied {
  /** When the last host had it, seconds since 1970; null: none has it, or all went back. */
  readonly at: number | null;
  readonly planId: number;
  /** Of the chain; null: the plan says nothing of it. */
  readonly prediction: Pick<ChainPrediction, "throughput_mpps" | "low_mpps" | "high_mpps" | "note"> | null;
}

export function appliedAt({ state, hosts }: Operation): number | null {
  if (state === "ROLLING_BACK" || state === "ROLLED_BACK") return null;
  const done = hosts.flatMap(({ steps }) =>
    steps.flatMap(({ name, state, finished_at }) =>
      name === "converge" && state === "done" && finished_at ? [Date.parse(finished_at) / 1000] : [],
    ),
  );
  return done.length > 0 ? Math.max(...done) : null;
}

/** Of the plan that was in force at each point, so that a line and its band have as many points as what was measured.
 * What the plan that was applied here predicts is known from when the hosts had it, and what was predicted before holds
 * no longer, even where this plan predicts nothing. */
export function predictionAt({ at, predictions = [] }: History, applied: Applied): RangePoint[] {
  return at.map((moment) => {
    const over = (each: HistoryPrediction) => each.until !== null && Date.parse(each.until) / 1000 <= moment;
    const known = predictions.filter((each) => Date.parse(each.at) / 1000 <= moment && !over(each));
    const replaced = predictions.some((each) => each.plan_id === applied.planId && over(each));
    const now = applied.at !== null && moment >= applied.at;
    const later = known.findLast(({ plan_id }) => plan_id > applied.planId);
    const before = known.findLast(({ plan_id }) => plan_id < applied.planId);
    const own = applied.prediction;
    const given = own && { predicted_mpps: own.throughput_mpps, low_mpps: own.low_mpps, high_mpps: own.high_mpps };
    const one = later ?? (now ? (replaced ? null : given) : before);
    return {
      at: moment,
      mean: one?.predicted_mpps ?? null,
      least: one?.low_mpps ?? one?.predicted_mpps ?? null,
      most: one?.high_mpps ?? one?.predicted_mpps ?? null,
    };
  });
}

/** Whose prediction is drawn, and why none is; null where neither was nor could be. */
export function predictionText(applied: Applied): string | null {
  const { at, planId, prediction } = applied;
  if (at === null) return `Nothing of plan ${planId} is in force: what is predicted is of the plan before.`;
  if (prediction?.throughput_mpps != null)
    return `Predicted by plan ${planId}, from when its hosts had what was ordered.`;
  return `Plan ${planId} predicts nothing here${prediction?.note ? `: ${prediction.note}` : ""}.`;
}

/** What was dropped while hosts changed, from the first order to the last host that had it, and what would have been in
 * that time by what was dropped in as long before; null while none has begun. A chain that drops all the time has not
 * lost that by the change. */
export function lossWhileChanging(operation: Operation, history: History): string | null {
  const times = stepMarks(operation).map(({ at }) => at);
  if (times.length === 0) return null;
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const during = summed(history, (at) => at + history.step_s > first && at <= last);
  const length = last - first + history.step_s;
  const before = summed(history, (at) => at + history.step_s > first - length && at + history.step_s <= first);
  if (during.offered === 0) return "Nothing was offered to it while hosts changed.";
  if (during.dropped < 0.5) return "No packet was dropped while hosts changed.";
  const share = `${percent((100 * during.dropped) / during.offered)} % of what was offered`;
  const text = `${packets(during.dropped)} dropped while hosts changed, ${share}`;
  const usual = before.seconds === 0 ? 0 : (before.dropped / before.seconds) * during.seconds;
  return usual < 0.5 ? `${text}.` : `${text}; ${beyond(during.dropped, usual)}.`;
}

interface Sums {
  readonly seconds: number;
  /** Packets. */
  readonly dropped: number;
  readonly offered: number;
}

function summed(history: History, within: (at: number) => boolean): Sums {
  const sum = (mean: (index: number) => number) =>
    history.at.reduce(
      (total, at, index) => (within(at) ? total + mean(index) * (history.samples[index] ?? 0) : total),
      0,
    );
  const millions = (figure: string) => {
    const series = history.series.find((one) => one.figure === figure);
    return sum((index) => series?.mean[index] ?? 0) * 1e6;
  };
  return { seconds: sum(() => 1), dropped: millions("drop_mpps"), offered: millions("offered_mpps") };
}

function beyond(dropped: number, usual: number): string {
  const more = Math.round(dropped) - Math.round(usual);
  return more > 0
    ? `${packets(usual)} at the rate of before, so ${thousands(more)} more by the change`
    : `${packets(usual)} at the rate of before, so none by the change`;
}

function packets(number: number): string {
  const whole = Math.round(number);
  return whole === 1 ? count(1, "packet") : `${thousands(whole)} packets`;
}

/** Races in words. Pure. */

import type { AlgorithmRank, Race, RaceEntry, RaceRanking } from "@/api/types";
import { count, figure } from "@/lib/format";

/** What the figures are, and are not. */
export const HOW =
  "Only the applied plan is measured. Every other plan is scored by its own prediction, corrected by the errors of its predictor in outcomes, with a 95 % interval from three informative outcomes on.";

export function raceNote(race: Race): string {
  const others = count(race.entries.length, "other algorithm");
  const waiting = race.waiting.length > 0 ? `, ${race.waiting.length} waiting` : "";
  return `${others} on the same snapshot${waiting}`;
}

/** "+1.5 %", "−0.04 %", "0 %". */
export function marginText(margin: number | null | undefined): string {
  if (margin == null) return "–";
  const size = Math.abs(margin);
  if (size < 0.005) return "0 %";
  return `${margin < 0 ? "−" : "+"}${size < 0.995 ? size.toFixed(2) : size.toFixed(1)} %`;
}

/** Nothing where all races ran as the algorithm planned them: there is nothing to be unsure of. */
export function marginInterval({ low_percent: low, high_percent: high, predicted }: AlgorithmRank): string {
  return low === null || high === null || (predicted === 0 && low === high)
    ? ""
    : `[${marginText(low)}, ${marginText(high)}]`;
}

/** Of the algorithms that are judged, those with the most: "exact, anytime, +1.2 %". Empty where none is. */
export function bestText(race: Race): string {
  const judged = race.entries.filter((entry) => entry.margin_percent != null);
  const most = Math.max(...judged.map(({ margin_percent }) => margin_percent ?? 0));
  const best = judged.filter(({ margin_percent }) => Math.abs((margin_percent ?? 0) - most) < 0.005);
  if (best.length === 0) return "";
  if (best.length === race.entries.length && best.length > 1) return `all alike, ${marginText(most)}`;
  const names = best.map(({ algorithm }) => algorithm);
  return `${names.slice(0, 2).join(", ")}${names.length > 2 ? ` and ${names.length - 2} more` : ""}, ${marginText(most)}`;
}

/** Why an entry is not as the others are. */
export function entryNote({ error, left_out }: RaceEntry): string {
  if (error) return error;
  return left_out && left_out.length > 0 ? `no room for ${left_out.join(", ")}` : "";
}

/** What stands where there is no ranking. */
export function emptyRanking(ranking: RaceRanking): string {
  const where = ranking.host_model === null ? "" : ` with hosts of ${ranking.host_model}`;
  if (ranking.open > 0)
    return `${count(ranking.open, "race")}${where} started, none scored yet: a race is scored when its plan is applied and all its chains are measured.`;
  if (!ranking.wanted) return `No races${where}: they are switched off in the policy.`;
  return `No races${where} yet: one starts with every applied plan that places or moves an NF.`;
}

export function rankingNote({ scored, open, ended }: RaceRanking): string {
  const rest = [open > 0 ? `${open} open` : "", ended > 0 ? `${ended} ended without a score` : ""].filter(Boolean);
  return [`${count(scored, "race")} scored`, ...rest].join(", ");
}

/** Ends of one scale for all margins and their intervals, with 0 on it. */
export function marginRange(ranks: readonly AlgorithmRank[]): { from: number; to: number } {
  const values = ranks.flatMap(({ margin_percent, low_percent, high_percent }) =>
    [margin_percent, low_percent, high_percent].filter((value) => value !== null),
  );
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = Math.max((most - least) * 0.06, 0.1);
  return { from: least - room, to: most + room };
}

export function secondsWords(seconds: number | null): string {
  return seconds === null ? "–" : figure(seconds);
}

/** NUMASFP's law in words. Pure. */

import type { NumasfpChain, NumasfpHost, NumasfpHostRow, Recommendation } from "@/api/types";
import { count, figure, percent } from "@/lib/format";
import { gainOf, gainText, isHandOver, whatText } from "@/recommendations/words";
import { compared } from "@/ui/table-view";

/** Seconds running that a chain may fall short before the law moves it: the published `max_limit`. */
export const MAX_LIMIT = 3;

/** "local", "remote"; null where it stands on several nodes. */
export function sideText({ local }: Pick<NumasfpChain, "local">): string | null {
  return local === null ? null : local ? "local" : "remote";
}

/** "2 to 8 ways, 10 to 90 %"; null where no agent sets them by itself. */
export function boundsText({ bounds }: Pick<NumasfpChain, "bounds">): string | null {
  if (bounds === null) return null;
  const { least_ways, most_ways, least_percent, most_percent } = bounds;
  return `${range(least_ways, most_ways)} ways, ${range(least_percent, most_percent)} %`;
}

function range(least: number, most: number): string {
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** "4 ways, 30 %"; a part that it shares with all others is a dash. */
export function givenText({ llc_ways, memory_bandwidth_percent }: NumasfpChain): string {
  if (llc_ways === null && memory_bandwidth_percent === null) return "shares all";
  const ways = llc_ways === null ? "–" : count(llc_ways, "way");
  const part = memory_bandwidth_percent === null ? "–" : `${memory_bandwidth_percent} %`;
  return `${ways}, ${part}`;
}

/** What it lacks, Gbps; null where it is not measured, 0 where it carries all. */
export function shortOf(row: {
  readonly offered_gbps: number | null;
  readonly carried_gbps: number | null;
}): number | null {
  const { offered_gbps, carried_gbps } = row;
  return offered_gbps === null || carried_gbps === null ? null : Math.max(0, offered_gbps - carried_gbps);
}

/** Those that need somebody most first: violated chains, what is short, a recommendation that waits; then by name. */
export function byNeed(rows: readonly NumasfpHostRow[]): readonly NumasfpHostRow[] {
  const waits = ({ recommendation_id }: NumasfpHostRow) => (recommendation_id === null ? 0 : 1);
  return rows.toSorted(
    (one, other) =>
      other.violated - one.violated ||
      (shortOf(other) ?? 0) - (shortOf(one) ?? 0) ||
      waits(other) - waits(one) ||
      compared(one.host, other.host),
  );
}

export function violatedRows(rows: readonly NumasfpHostRow[]): readonly NumasfpHostRow[] {
  return rows.filter(({ violated }) => violated > 0);
}

/** "Swap web and nat" where two chains of different nodes change places; else as every law's. */
export function headline(one: Recommendation, host: NumasfpHost | undefined): string {
  const what = isHandOver(one) ? handOverText(one) : (swapText(one, host) ?? sentence(whatText(one)));
  return isHandOver(one) ? what : `${what}: ${gainText(gainOf(one))}`;
}

function handOverText({ chains }: Recommendation): string {
  return `Let the agent set ways and bandwidth of ${chains.join(", ")}`;
}

function swapText({ chains }: Recommendation, host: NumasfpHost | undefined): string | null {
  const [first, second, ...more] = chains.map((name) => host?.chains.find(({ chain }) => chain === name));
  if (!first || !second || more.length > 0) return null;
  return first.node !== null && second.node !== null && first.node !== second.node
    ? `Swap ${first.chain} and ${second.chain}`
    : null;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the moves are reckoned to lose, Gbit: of a second in which a chain moves, this share of its rate. */
export function lossOfMoves(one: Recommendation, host: NumasfpHost, share: number): number | null {
  const rates = one.chains.map((name) => host.chains.find(({ chain }) => chain === name)?.rate_gbps ?? null);
  return rates.some((rate) => rate === null) ? null : share * rates.reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
}

/** What accepting costs, and how that is known. `leastLoss`: the law counts that share at least. */
export function expectedCost(one: Recommendation, host: NumasfpHost, leastLoss: number | undefined): string {
  if (isHandOver(one)) return "no packets and no restart: nothing moves";
  const chains = count(one.chains.length, "chain");
  const share = one.move_loss?.share ?? leastLoss;
  if (share === undefined) return `${chains} may lose packets while they move`;
  const loss = lossOfMoves(one, host, share);
  const parts = [`${percent(share * 100)} % of a second’s traffic of ${chains}`];
  if (loss !== null) parts.push(`${figure(loss)} Gbit`);
  const least = leastLoss !== undefined && leastLoss > share ? `; weighed as ${percent(leastLoss * 100)} %` : "";
  return `${parts.join(", ")}, ${knownFrom(one.move_loss)}${least}`;
}

/** "measured in 3 moves of this host", "assumed" */
function knownFrom(loss: Recommendation["move_loss"]): string {
  if (!loss?.moves) return "assumed";
  const how = loss.provenance === "simulated" ? "as the twin computed in" : "measured in";
  const whose = loss.moves_of === "driver" ? "hosts of its driver" : (loss.chain ?? "this host");
  return `${how} ${count(loss.moves, "move")} of ${whose}`;
}

/** "3.0 Gbps, at least 0.44 needed; for 1 of 2 s", the latter until it is recommended: then nothing is counted on. */
export function gainAgainstMargin(host: NumasfpHost): string {
  const { gain_gbps, margin_gbps, held_intervals, hold_intervals } = host;
  if (gain_gbps === null || margin_gbps === null) return "not calculated yet";
  const held = host.recommendation_id === null ? `; for ${held_intervals} of ${hold_intervals} s` : "";
  return `${figure(gain_gbps)} Gbps, at least ${figure(margin_gbps)} needed${held}`;
}

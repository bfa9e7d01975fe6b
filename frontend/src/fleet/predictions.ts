/** What applied plans predict of the chains that stand on hosts, beside what they carry. Pure. */

import type { FleetPredictions, HostPredictions, HostView, StandingPrediction } from "@/api/types";
import { percentOfPredicted } from "@/lib/difference";

/** Of one host: what the plan that it runs by predicts of its chains. */
export interface Forecast {
  readonly planId: number;
  readonly generation: number;
  readonly predictor: string;
  /** By name; a chain of which nothing is predicted is absent. */
  readonly chains: ReadonlyMap<string, StandingPrediction>;
}

/** By host. */
export type Forecasts = ReadonlyMap<string, Forecast>;

export function forecastsOf(answer: FleetPredictions): Forecasts {
  return new Map(answer.hosts.map((host) => [host.host, forecastOf(host)]));
}

const known = new WeakMap<HostPredictions, Forecast>();

/** The same object for the same answer, so that a map of cores is not modelled anew where nothing changed. */
function forecastOf(host: HostPredictions): Forecast {
  const found = known.get(host) ?? {
    planId: host.plan_id,
    generation: host.generation,
    predictor: host.predictor,
    chains: new Map(host.chains.map((chain) => [chain.chain, chain])),
  };
  known.set(host, found);
  return found;
}

/**
 * What holds of a host now: null where nothing does, undefined where nobody asked (yet). The stream reports another
 * order before the next answer does.
 */
export function inForce(host: HostView, forecasts: Forecasts | undefined): Forecast | null | undefined {
  if (!forecasts) return undefined;
  const found = forecasts.get(host.host_id);
  return found?.generation === host.desired_generation ? found : null;
}

/** Measured less predicted, in percent of predicted; null where the two cannot be compared. */
export function differencePercent(standing: StandingPrediction | null | undefined): number | null {
  if (standing?.test !== "informative" || standing.measured_mpps == null) return null;
  return percentOfPredicted(standing.measured_mpps, standing.predicted_mpps);
}

/** True where what is measured lies inside the predicted interval; null where there is none, or nothing to compare. */
export function isInside(standing: StandingPrediction): boolean | null {
  const { low_mpps: low, high_mpps: high, measured_mpps: measured, test } = standing;
  if (test !== "informative" || low == null || high == null || measured == null) return null;
  return low <= measured && measured <= high;
}

/** What rests on a model that is assumed is itself assumed; of a sum the weakest part says it. */
export type PredictionOrigin = "predicted" | "assumed";

export const originOf = ({ assumed }: StandingPrediction): PredictionOrigin => (assumed ? "assumed" : "predicted");

export interface HostSum {
  readonly chains: number;
  readonly predicted: number;
  /** Sums of the ends of intervals: all at their lowest, all at their highest. Null where a chain has none. */
  readonly low: number | null;
  readonly high: number | null;
  /** Chains that test their prediction; the difference is of these alone. */
  readonly informative: number;
  readonly differencePercent: number | null;
  readonly origin: PredictionOrigin;
}

/** All that is predicted of a host; null where nothing is. */
export function sumOf(forecast: Forecast | null | undefined): HostSum | null {
  const chains = [...(forecast?.chains.values() ?? [])];
  if (chains.length === 0) return null;
  const informative = chains.filter((chain) => differencePercent(chain) !== null);
  const predicted = total(informative, ({ predicted_mpps }) => predicted_mpps) ?? 0;
  const measured = total(informative, ({ measured_mpps }) => measured_mpps);
  return {
    chains: chains.length,
    predicted: total(chains, ({ predicted_mpps }) => predicted_mpps) ?? 0,
    low: total(chains, ({ low_mpps }) => low_mpps),
    high: total(chains, ({ high_mpps }) => high_mpps),
    informative: informative.length,
    differencePercent: informative.length > 0 && measured !== null ? percentOfPredicted(measured, predicted) : null,
    origin: chains.some(({ assumed }) => assumed) ? "assumed" : "predicted",
  };
}

function total(
  chains: readonly StandingPrediction[],
  of: (chain: StandingPrediction) => number | null | undefined,
): number | null {
  let sum = 0;
  for (const chain of chains) {
    const value = of(chain);
    if (value == null) return null;
    sum += value;
  }
  return sum;
}

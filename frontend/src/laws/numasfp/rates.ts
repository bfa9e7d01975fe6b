/** Rates and forecasts of a host's chains over the last two minutes, kept as the page reads them. Pure. */

import type { NumasfpHost } from "@/api/types";

export const SECONDS = 120;

/** [seconds since 1970, Gbps]; null: not measured then. */
export type Points = readonly (readonly [number, number | null])[];

export interface Course {
  readonly rate: Points;
  readonly forecast: Points;
  readonly carried: Points;
}

export interface Courses {
  /** Of the newest evaluation, seconds since 1970; null before the first. */
  readonly now: number | null;
  readonly chains: ReadonlyMap<string, Course>;
}

export const NONE: Courses = { now: null, chains: new Map() };
const EMPTY: Course = { rate: [], forecast: [], carried: [] };

/** With one evaluation more; the same where it was known already, or is older. */
export function grown(courses: Courses, host: Pick<NumasfpHost, "evaluated_at" | "chains">): Courses {
  if (host.evaluated_at === null) return courses;
  const at = Date.parse(host.evaluated_at) / 1000;
  if (courses.now !== null && at <= courses.now) return courses;
  const longer = (points: Points, value: number | null): Points => [
    ...points.filter(([then]) => then >= at - SECONDS),
    [at, value],
  ];
  const chains = host.chains.map(({ chain, rate_gbps, forecast_gbps, carried_gbps }): [string, Course] => {
    const { rate, forecast, carried } = courses.chains.get(chain) ?? EMPTY;
    return [
      chain,
      {
        rate: longer(rate, rate_gbps),
        forecast: longer(forecast, forecast_gbps),
        carried: longer(carried, carried_gbps),
      },
    ];
  });
  return { now: at, chains: new Map(chains) };
}

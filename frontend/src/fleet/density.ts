/** How much a heat-map cell says, by the number of hosts shown. A named rule, so that tests and demos can cite it. */

export type Density = "labelled" | "compact" | "dense" | "mass";

/** The largest number of hosts of each level but the last. */
export const DENSITY_LIMITS = { labelled: 8, compact: 60, dense: 300 } as const;

export function densityFor(hosts: number): Density {
  if (hosts <= DENSITY_LIMITS.labelled) return "labelled";
  if (hosts <= DENSITY_LIMITS.compact) return "compact";
  if (hosts <= DENSITY_LIMITS.dense) return "dense";
  return "mass";
}

/** Whether an NF that does not keep up stands still for its own CPU quota. By telemetry alone. Pure. */

import { percent } from "@/lib/format";
import type { Limit } from "./limit";

/** Percent of the time for which its quota held it still; null where that is not what it lacks time for: its quota must have
 * held it for at least half of the time that it did not run. The rest others of its core had. */
export function heldByQuota({ nf: { sample }, by }: Limit): number | null {
  const held = sample?.throttled_percent;
  if (held == null || by === "queue") return null;
  const still = 100 - (sample?.cpu_percent ?? 0);
  return held > 0 && held >= still / 2 ? held : null;
}

/** "The cause is its CPU quota, which held it still for 73 % of the time". */
export function quotaText(held: number): string {
  return `The cause is its CPU quota, which held it still for ${percent(held)} % of the time`;
}

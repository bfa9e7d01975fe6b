/** A race in words. Pure. */

import type { Race, RaceEntry } from "@/api/types";
import { count } from "@/lib/format";

/** Measured only where every chain stands as it ran. */
export function laterOrigin(entry: RaceEntry): "measured" | "predicted" {
  return entry.chains.length > 0 && entry.chains.every((chain) => chain.basis === "measured")
    ? "measured"
    : "predicted";
}

export function raceNote(race: Race): string {
  const others = count(race.entries.length, "other algorithm");
  const waiting = race.waiting.length > 0 ? `, ${race.waiting.length} still to come` : "";
  return `${others} on the same snapshot${waiting}`;
}

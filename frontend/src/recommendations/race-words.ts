/** A race in words. Pure. */

import type { Race } from "@/api/types";
import { count } from "@/lib/format";

export function raceNote(race: Race): string {
  const others = count(race.entries.length, "other algorithm");
  const waiting = race.waiting.length > 0 ? `, ${race.waiting.length} still to come` : "";
  return `${others} on the same snapshot${waiting}`;
}

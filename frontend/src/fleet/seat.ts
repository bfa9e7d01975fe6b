/** The name of a place on the map: host/core/slot, as it stands in the address bar. */

import type { HostModel, Unit } from "./model";

export function seatKey(unit: { host: string; core: { id: number } | number; slot: number }): string {
  const core = typeof unit.core === "number" ? unit.core : unit.core.id;
  return `${unit.host}/${core}/${unit.slot}`;
}

/** The unit of that name and its index in the layout. */
export function findSeat(
  models: readonly HostModel[],
  firsts: readonly { first: number }[],
  key: string | null,
): { unit: Unit; index: number } | null {
  if (key === null) return null;
  const host = key.slice(0, key.indexOf("/"));
  for (const [at, model] of models.entries()) {
    if (model.host.host_id !== host) continue;
    const place = model.units.findIndex((unit) => seatKey(unit) === key);
    const unit = model.units[place];
    const first = firsts[at]?.first;
    if (unit && first !== undefined) return { unit, index: first + place };
  }
  return null;
}

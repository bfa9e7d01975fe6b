/** Where an arrow key goes on a map of cores, and which unit lies under a point. Pure geometry. */

import type { KeyboardEvent } from "react";
import type { FleetLayout, UnitBox } from "./boxes";

export type Move = "left" | "right" | "up" | "down" | "node-next" | "node-previous" | "host-next" | "host-previous";

const ARROWS: Readonly<Record<string, Move>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  PageDown: "host-next",
  PageUp: "host-previous",
};

export function moveOf(event: KeyboardEvent): Move | null {
  const move = ARROWS[event.key];
  if (!move || event.ctrlKey || event.altKey || event.metaKey) return null;
  if (!event.shiftKey) return move;
  return event.key === "ArrowRight" || event.key === "ArrowDown" ? "node-next" : "node-previous";
}

/** All that moving needs of a layout. */
type Units = Pick<FleetLayout, "units">;

export function unitAt(layout: FleetLayout, x: number, y: number): number | null {
  for (const host of layout.hosts) {
    if (x < host.x || y < host.y || x > host.x + host.w || y > host.y + host.h) continue;
    for (let index = host.first; index < host.first + host.count; index += 1) {
      const unit = layout.units[index];
      if (unit && x >= unit.x && y >= unit.y && x < unit.x + unit.w + 1 && y < unit.y + unit.h + 1) return index;
    }
  }
  return null;
}

export function neighbour(layout: Units, from: number, move: Move): number {
  const unit = layout.units[from];
  if (!unit) return 0;
  switch (move) {
    case "left":
      return Math.max(0, from - 1);
    case "right":
      return Math.min(layout.units.length - 1, from + 1);
    case "up":
      return nearestRow(layout, unit, from, -1);
    case "down":
      return nearestRow(layout, unit, from, 1);
    case "node-next":
      return firstWhere(layout, from, 1, (other) => other.node !== unit.node || other.host !== unit.host);
    case "node-previous":
      return firstWhere(layout, from, -1, (other) => other.node !== unit.node || other.host !== unit.host);
    case "host-next":
      return firstWhere(layout, from, 1, (other) => other.host !== unit.host);
    case "host-previous":
      return firstWhere(layout, from, -1, (other) => other.host !== unit.host);
  }
}

function firstWhere(layout: Units, from: number, by: 1 | -1, wanted: (unit: UnitBox) => boolean): number {
  for (let index = from + by; index >= 0 && index < layout.units.length; index += by) {
    const unit = layout.units[index];
    if (unit && wanted(unit)) return index;
  }
  return from;
}

/** The unit above or below that lies nearest, a step aside weighing twice a step down. */
function nearestRow(layout: Units, unit: UnitBox, from: number, by: 1 | -1): number {
  let best = from;
  let bestCost = Number.POSITIVE_INFINITY;
  layout.units.forEach((other, index) => {
    const down = (other.y - unit.y) * by;
    if (down < unit.h / 2) return;
    const aside = Math.abs(other.x + other.w / 2 - unit.x - unit.w / 2);
    const cost = down + 2 * aside;
    if (cost < bestCost) {
      best = index;
      bestCost = cost;
    }
  });
  return best;
}

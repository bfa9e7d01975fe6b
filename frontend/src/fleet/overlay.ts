/** Rings over the cells: violation, pin, focus, and in `mass` the outline of a silent host. Few, so drawn whole. */

import type { Box, FleetLayout } from "./boxes";
import type { HostModel } from "./model";
import type { Palette } from "./palette";

export interface OverlayState {
  /** Index of a unit of the layout, or null. */
  readonly pinned: number | null;
  readonly focused: number | null;
}

export function drawOverlay(
  context: CanvasRenderingContext2D,
  layout: FleetLayout,
  hosts: readonly HostModel[],
  state: OverlayState,
  palette: Palette,
): void {
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  layout.hosts.forEach((box, index) => {
    const model = hosts[index];
    if (model) drawHost(context, layout, box, model, palette);
  });
  const pinned = state.pinned === null ? undefined : layout.units[state.pinned];
  // Labelled cells stand close and carry text to their edge: a ring further out would cover the neighbour's figure.
  if (pinned) ring(context, pinned, layout.level === "labelled" ? 1 : 3, 2, palette.accent);
  const focused = state.focused === null ? undefined : layout.units[state.focused];
  if (focused && focused !== pinned) ring(context, focused, 2, 2, palette.accent);
}

function drawHost(
  context: CanvasRenderingContext2D,
  layout: FleetLayout,
  box: FleetLayout["hosts"][number],
  model: HostModel,
  palette: Palette,
): void {
  if (layout.level === "mass") {
    if (model.limits) ring(context, box, 1, 2, palette.bad);
    if (model.host.status === "stale") dashed(context, box, palette.warn);
    if (model.host.status === "unreachable") cross(context, box, palette.warn);
    return;
  }
  if (!model.limits) return;
  for (let place = 0; place < box.count; place += 1) {
    const unit = layout.units[box.first + place];
    // A cell of four pixels would vanish under a ring on its own edge.
    if (unit && model.units[place]?.limits) ring(context, unit, layout.level === "dense" ? 1 : 0, 2, palette.bad);
  }
}

/** A ring `away` pixels outside the box; 0 lies on its edge. */
function ring(context: CanvasRenderingContext2D, box: Box, away: number, width: number, colour: string): void {
  context.setLineDash([]);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.strokeRect(box.x - away, box.y - away, box.w + 2 * away, box.h + 2 * away);
}

function dashed(context: CanvasRenderingContext2D, box: Box, colour: string): void {
  context.setLineDash([3, 2]);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(box.x, box.y, box.w, box.h);
  context.setLineDash([]);
}

function cross(context: CanvasRenderingContext2D, box: Box, colour: string): void {
  const size = 10;
  const x = box.x + box.w / 2 - size / 2;
  const y = box.y + box.h / 2 - size / 2;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y);
  context.lineTo(x, y + size);
  context.stroke();
}

/** Scales of the picture "moves against gain". Pure. */

import type { Change, FrontierPoint } from "@/api/types";
import { stepOf } from "@/ui/plot-geometry";

export interface Scale {
  readonly top: number;
  readonly bottom: number;
  readonly most: number;
}

/** Round ends of the scale: gains are from 0; a net gain may be below. */
export function scaleOf(points: readonly FrontierPoint[]): Scale {
  let [low, high, most] = [0, 0, 0];
  for (const { moves, gain_mpps, net_mpps } of points) {
    high = Math.max(high, gain_mpps, net_mpps);
    low = Math.min(low, gain_mpps, net_mpps);
    most = Math.max(most, moves);
  }
  const step = stepOf(Math.max(high - low, 1e-9) / 3);
  return {
    top: Math.max(step, Math.ceil(high / step - 1e-9) * step),
    bottom: Math.floor(low / step + 1e-9) * step,
    most: Math.max(1, most),
  };
}

/** Lines to draw across: from the bottom to the top, at round figures, always with 0. */
export function gridOf({ top, bottom }: Scale): number[] {
  const step = stepOf((top - bottom) / 4);
  const lines: number[] = [];
  // + 0: no line is at minus zero.
  for (let at = Math.ceil(bottom / step - 1e-9) + 0; at * step <= top + step * 1e-6; at++) lines.push(at * step);
  return lines;
}

/** Whole numbers of moves under the axis, at most seven. */
export function ticksOf(most: number): number[] {
  const step = Math.max(1, stepOf(most / 6));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

/** Above so many points they are a line: a circle each would be a smear. */
export const DRAWN_POINTS = 60;

/** NFs that run and change nodes: what a frontier counts as moves. */
export function movesOf(changes: readonly Change[]): number {
  return changes.filter(
    ({ kind, source, target }) => kind === "move" && (source?.host !== target?.host || source?.node !== target?.node),
  ).length;
}

/** The point that stands for so many moves: the last with at most so many. */
export function pointAt(points: readonly FrontierPoint[], moves: number): number {
  let found = 0;
  points.forEach((point, index) => {
    if (point.moves <= moves) found = index;
  });
  return found;
}

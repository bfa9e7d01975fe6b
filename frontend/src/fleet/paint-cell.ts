/** Anatomy of a cell, from the ground up: ground, hatch or cross, text. Rings lie on the overlay (overlay.ts). */

import { percent } from "@/lib/format";
import type { Box } from "./boxes";
import type { Density } from "./density";
import { cellText, type Layer } from "./layers";
import { secondFigure } from "./load-words";
import type { Unit } from "./model";
import type { Palette, Ramp } from "./palette";
import type { HostStatus } from "./status";

const STRIP = 7;
/** Height of the bar that says how much of a core other work uses. */
const OTHER = 4;

type Context = CanvasRenderingContext2D;

export function drawUnit(
  context: Context,
  box: Box,
  unit: Unit,
  status: HostStatus,
  layer: Layer,
  level: Density,
  palette: Palette,
): void {
  context.clearRect(box.x, box.y, box.w, box.h);
  if (level === "labelled") drawLabelled(context, box, unit, status, layer, palette);
  else drawPlain(context, box, unit, status, level, palette, palette.ramps[layer.ramp].steps);
}

function drawPlain(
  context: Context,
  box: Box,
  unit: Unit,
  status: HostStatus,
  level: Density,
  palette: Palette,
  steps: readonly string[],
): void {
  if (unit.kind === "reserved") {
    fill(context, box, level === "mass" ? palette.reservedMark : palette.reserved);
    if (level !== "mass" && unit.core.reserved_for === "operator") outline(context, box, palette.text2);
  } else if (unit.kind === "free") {
    if (level === "mass") fill(context, box, palette.freeMark);
    else outline(context, box, palette.free);
  } else if (unit.kind === "other") {
    drawOther(context, box, unit, level, palette);
  } else if (status === "unreachable" || unit.step < 0) {
    // In use, but its figure is missing: neither a free core nor a step of a ramp.
    if (level !== "mass") outline(context, box, palette.text3);
    else {
      fill(context, box, palette.raised);
      if (status !== "unreachable") fill(context, { ...box, y: box.y + box.h - 1, h: 1 }, palette.text3);
    }
  } else {
    fill(context, box, steps[unit.step] ?? palette.ground);
  }
  if (status === "stale" && unit.kind !== "free" && level !== "mass") hatch(context, box, palette.ground);
}

function drawLabelled(
  context: Context,
  box: Box,
  unit: Unit,
  status: HostStatus,
  layer: Layer,
  palette: Palette,
): void {
  const shared = (unit.core.slots ?? 1) > 1;
  if (unit.kind === "reserved") {
    fill(context, box, palette.reserved);
    if (unit.core.reserved_for === "operator") outline(context, box, palette.text2);
    if (!shared) write(context, String(unit.core.id), box.x + 5, box.y + 13, palette.text3, palette, "10px");
    if (shared && unit.slot > 0) return;
    write(context, unit.core.reserved_for ?? "not offered", box.x + 5, box.y + 30, palette.text2, palette, "10px");
    return;
  }
  if (!unit.nf) {
    outline(context, box, palette.free);
    if (!shared) write(context, String(unit.core.id), box.x + 5, box.y + 13, palette.text3, palette, "10px");
    if (unit.kind === "other") writeOther(context, box, unit, palette);
    return;
  }
  const ink = drawUsedGround(context, box, unit, status, palette, palette.ramps[layer.ramp]);
  const lead = shared ? "" : String(unit.core.id);
  write(context, lead, box.x + 5, box.y + 13, ink, palette, "11px");
  drawNfWords(context, box, unit, status, layer, ink, palette);
}

/** Used, but by no NF: as full as the core is, in no colour of a ramp. */
function drawOther(context: Context, box: Box, unit: Unit, level: Density, palette: Palette): void {
  if (level !== "mass") outline(context, box, palette.text3);
  const h = (box.h * otherQuarters(unit)) / 4;
  fill(context, { ...box, y: box.y + box.h - h, h }, palette.text3);
}

/** How full such a core is drawn where there is no room for words, 1 to 4. */
export function otherQuarters({ other }: Unit): number {
  return Math.min(4, Math.floor((other ?? 0) / 25) + 1);
}

function writeOther(context: Context, box: Box, { other, core, slot }: Unit, palette: Palette): void {
  const w = (box.w * Math.min(100, other ?? 0)) / 100;
  fill(context, { x: box.x, y: box.y + box.h - OTHER, w, h: OTHER }, palette.text3);
  if ((core.slots ?? 1) > 1 && slot > 0) return;
  write(context, "other work", box.x + 5, box.y + 30, palette.text2, palette, "11px", box.w - 8);
  write(context, `${percent(other)} %`, box.x + 5, box.y + 44, palette.text2, palette, "11px", box.w - 8);
}

/** Ground of a core in use; returns the colour of the text that lies on it. */
function drawUsedGround(
  context: Context,
  box: Box,
  unit: Unit,
  status: HostStatus,
  palette: Palette,
  ramp: Ramp,
): string {
  const step = ramp.steps[unit.step];
  if (status === "up" && step !== undefined) {
    fill(context, box, step);
    return ramp.onSteps[unit.step] ?? palette.text1;
  }
  fill(context, box, palette.raised);
  outline(context, box, palette.free);
  if (status === "stale" && step !== undefined) {
    const strip = { x: box.x, y: box.y + box.h - STRIP, w: box.w, h: STRIP };
    fill(context, strip, step);
    hatch(context, strip, palette.ground);
  }
  if (status === "unreachable") cross(context, box, palette.free);
  return palette.text2;
}

function drawNfWords(
  context: Context,
  box: Box,
  unit: Unit,
  status: HostStatus,
  layer: Layer,
  ink: string,
  palette: Palette,
): void {
  const nf = unit.nf;
  if (!nf) return;
  const known = status !== "unreachable";
  context.textAlign = "right";
  write(
    context,
    known ? (layer.ofNode ? "" : cellText(layer, nf, unit.value)) : "–",
    box.x + box.w - 4,
    box.y + 13,
    ink,
    palette,
    "11px",
  );
  context.textAlign = "left";
  write(context, nf.short_name, box.x + 5, box.y + 30, ink, palette, "600 11px", box.w - 8);
  const other = secondFigure(layer, nf.sample);
  const second = nf.state === "crashed" ? "crashed" : !known ? "–" : nf.paused ? "paused" : other;
  write(context, second, box.x + 5, box.y + 44, ink, palette, "11px", box.w - 8);
}

function write(
  context: Context,
  text: string,
  x: number,
  y: number,
  ink: string,
  palette: Palette,
  font: string,
  most?: number,
): void {
  if (!text) return;
  context.font = `${font} ${palette.sans}`;
  context.fillStyle = ink;
  if (most === undefined) context.fillText(text, x, y);
  else context.fillText(text, x, y, most);
}

function fill(context: Context, box: Box, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(box.x, box.y, box.w, box.h);
}

function outline(context: Context, box: Box, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
}

/** 45 degrees, ground at 75 %: the last known value, not a present one. */
function hatch(context: Context, box: Box, ground: string): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.w, box.h);
  context.clip();
  context.globalAlpha = 0.75;
  context.strokeStyle = ground;
  context.lineWidth = 2.5;
  context.beginPath();
  for (let at = box.x - box.h; at < box.x + box.w; at += 6) {
    context.moveTo(at, box.y + box.h);
    context.lineTo(at + box.h, box.y);
  }
  context.stroke();
  context.restore();
}

function cross(context: Context, box: Box, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(box.x, box.y);
  context.lineTo(box.x + box.w, box.y + box.h);
  context.moveTo(box.x + box.w, box.y);
  context.lineTo(box.x, box.y + box.h);
  context.stroke();
}

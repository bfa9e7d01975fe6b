/** All that is visible of one slot in the host picture, as plain values. Pure. */

import { cellText, type Layer, type RampKey } from "@/fleet/layers";
import { secondFigure } from "@/fleet/load-words";
import type { Unit } from "@/fleet/model";
import { percent } from "@/lib/format";
import type { Letters } from "./letters";
import type { Figures } from "./use-host";

export interface CellAppearance {
  readonly kind: "free" | "other" | "reserved" | "used" | "crashed";
  /** An operator keeps the core from NFs: marked, whether one still stands there or not. */
  readonly kept: boolean;
  /** 0 to 8; -1: no value is drawn. */
  readonly step: number;
  readonly ramp: RampKey;
  readonly aged: boolean;
  /** Nobody knows what runs here now. */
  readonly crossed: boolean;
  /** The core's number, top left; empty where its head says it. */
  readonly core: string;
  readonly value: string;
  readonly name: string;
  readonly second: string;
  /** "A2": second NF of chain A; "" where the chain has no letter. */
  readonly tag: string;
  readonly letter: string;
  readonly limits: boolean;
  /** What no NF uses of a core without NFs, 0 to 1; 0 where that is little, or the core has NFs. */
  readonly other: number;
}

export function cellAppearance(unit: Unit, layer: Layer, letters: Letters, figures: Figures): CellAppearance {
  const shared = (unit.core.slots ?? 1) > 1;
  const base: CellAppearance = {
    kind: unit.kind,
    kept: unit.core.reserved_for === "operator",
    step: -1,
    ramp: layer.ramp,
    aged: figures === "last-known",
    crossed: false,
    core: shared ? "" : String(unit.core.id),
    value: "",
    name: emptyName(unit),
    second: emptySecond(unit),
    tag: "",
    letter: "",
    limits: unit.limits,
    other: unit.kind === "other" ? Math.min(1, (unit.other ?? 0) / 100) : 0,
  };
  const { nf } = unit;
  if (!nf) return base;
  const known = figures !== "none";
  const letter = letters.get(nf.chain) ?? "";
  const other = secondFigure(layer, nf.sample);
  const crashed = known && nf.state === "crashed";
  return {
    ...base,
    kind: crashed ? "crashed" : "used",
    step: known && !crashed ? unit.step : -1,
    crossed: !known,
    value: known && !crashed && !layer.ofNode ? cellText(layer, nf, unit.value) : "",
    name: nf.short_name,
    second: crashed ? "crashed" : !known ? "" : nf.paused ? "paused" : other,
    tag: letter && `${letter}${nf.position + 1}`,
    letter,
  };
}

/** Words that fit a cell; the table says them whole. */
function emptyName({ core, kind, slot }: Unit): string {
  if (kind === "reserved") return slot === 0 ? (core.reserved_for ?? "no slot") : "";
  return kind === "other" && slot === 0 ? "other" : "";
}

/** Of a shared core the first slot says it. */
function emptySecond({ kind, slot, other }: Unit): string {
  return kind === "other" && slot === 0 ? `${percent(other)} %` : "";
}

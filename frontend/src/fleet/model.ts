/** What each unit of the heat map shows: one state a slot, in the order of the layout's units. Pure. */

import type { Core, HostView, NfView } from "@/api/types";
import type { Density } from "./density";
import { type Layer, type Place, stepOf } from "./layers";
import { coresOfNode, slotsOf } from "./shape";

export type UnitKind = "reserved" | "free" | "used";

export interface Unit {
  readonly host: string;
  readonly node: number;
  readonly core: Core;
  readonly slot: number;
  readonly kind: UnitKind;
  readonly nf: NfView | null;
  /** In the layer's unit; null where nothing was measured. */
  readonly value: number | null;
  /** 0 to 8; -1 where there is no value. */
  readonly step: number;
  /** This NF limits a violated chain. */
  readonly limits: boolean;
}

export interface CoreModel {
  readonly core: Core;
  readonly busy: number | null;
  readonly used: number;
}

export interface HostModel {
  readonly host: HostView;
  readonly units: readonly Unit[];
  /** By index in the node, in the order of the layout's core heads. */
  readonly cores: readonly (readonly CoreModel[])[];
  readonly inUse: number;
  readonly limits: boolean;
}

const NO_NFS: ReadonlyMap<string, NfView> = new Map();

export function modelOf(
  host: HostView,
  nfs: ReadonlyMap<string, NfView> = NO_NFS,
  layer: Layer,
  limiting: ReadonlySet<string>,
  level: Density,
): HostModel {
  const seats = new Map<string, NfView>();
  for (const nf of nfs.values()) seats.set(`${nf.seat.core}/${nf.seat.slot ?? 0}`, nf);
  const busy = new Map(host.cores.map((sample) => [sample.core, sample.busy_percent]));
  const told = new Map(host.nodes?.map((sample) => [sample.node, sample]));
  const nodes = [...(host.inventory?.nodes ?? [])].sort((a, b) => a.id - b.id);
  const units: Unit[] = [];
  const cores: CoreModel[][] = [];
  for (const node of nodes) {
    const own: Unit[] = [];
    const models: CoreModel[] = [];
    for (const core of coresOfNode(host.inventory?.cores ?? [], node.id)) {
      const slots = slotsOf(core);
      let used = 0;
      for (let slot = 0; slot < slots; slot += 1) {
        const nf = seats.get(`${core.id}/${slot}`) ?? null;
        if (nf) used += 1;
        const place = { busy: slots === 1 ? (busy.get(core.id) ?? null) : null, node: told.get(node.id) ?? null };
        own.push(unitOf(host.host_id, node.id, core, slot, nf, layer, place, limiting));
      }
      models.push({ core, busy: busy.get(core.id) ?? null, used });
    }
    if (level === "mass") own.sort(byPressure);
    units.push(...own);
    cores.push(models);
  }
  return {
    host,
    units,
    cores,
    inUse: units.reduce((sum, unit) => sum + (unit.kind === "used" ? 1 : 0), 0),
    limits: units.some((unit) => unit.limits),
  };
}

function unitOf(
  host: string,
  node: number,
  core: Core,
  slot: number,
  nf: NfView | null,
  layer: Layer,
  place: Place,
  limiting: ReadonlySet<string>,
): Unit {
  const kind: UnitKind = nf ? "used" : core.reserved_for || core.slots === 0 ? "reserved" : "free";
  const value = nf ? layer.value(nf, place) : null;
  const step = value === null ? -1 : stepOf(layer, value);
  return { host, node, core, slot, kind, nf, value, step, limits: nf !== null && limiting.has(nf.nf_id) };
}

const KIND_ORDER: Record<UnitKind, number> = { used: 0, reserved: 1, free: 2 };

/** Highest first, free cores last: a host becomes a gauge. */
function byPressure(a: Unit, b: Unit): number {
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || (b.value ?? -1) - (a.value ?? -1) || a.core.id - b.core.id;
}

/** Keeps each host's model for as long as nothing it is made of has changed. */
export class ModelCache {
  private readonly known = new Map<string, { inputs: readonly unknown[]; model: HostModel }>();

  get(
    host: HostView,
    nfs: ReadonlyMap<string, NfView> | undefined,
    layer: Layer,
    limiting: ReadonlySet<string>,
    level: Density,
  ): HostModel {
    const inputs = [host, nfs, layer, limiting, level];
    const entry = this.known.get(host.host_id);
    if (entry?.inputs.every((input, index) => input === inputs[index])) return entry.model;
    const model = modelOf(host, nfs, layer, limiting, level);
    this.known.set(host.host_id, { inputs, model });
    return model;
  }
}

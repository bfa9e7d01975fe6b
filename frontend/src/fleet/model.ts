/** What each unit of the heat map shows: one state a slot, in the order of the layout's units. Pure. */

import type { Core, HostView, NfView, NodeSample, StandingPrediction } from "@/api/types";
import { coresOfNode, crowdedCores, slotsOf } from "@/capabilities/cores";
import type { Density } from "./density";
import { type Layer, type Place, stepOf } from "./layers";
import { type Blamed, blamedOn } from "./limit";
import { NO_QUEUES } from "./link-queues";
import { otherWork } from "./other-work";
import type { Forecast } from "./predictions";

/** The generation of a host at a past moment: history does not keep it. */
export const NOT_KEPT = -1;

/** `other`: no NF stands on the core, and yet much of its time is used. */
export type UnitKind = "reserved" | "free" | "other" | "used";

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
  /** What no NF uses of its core, in percent; null where that is little, or not reported. */
  readonly other: number | null;
  /** What an applied plan predicts of its chain as it stands. */
  readonly standing: StandingPrediction | null;
  /** Whose difference from that is; null where nothing is predicted. */
  readonly blamed: Blamed | null;
}

/** What a layer says of a node as a whole. */
export interface NodeModel {
  readonly value: number | null;
  readonly step: number;
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
  /** In the order of the layout's nodes. */
  readonly nodes: readonly NodeModel[];
  readonly inUse: number;
  readonly limits: boolean;
  /** Null where nothing is predicted of the host as it stands, undefined where nobody asked (yet). */
  readonly forecast: Forecast | null | undefined;
}

const NO_NFS: ReadonlyMap<string, NfView> = new Map();

export function modelOf(
  host: HostView,
  nfs: ReadonlyMap<string, NfView> = NO_NFS,
  layer: Layer,
  limiting: ReadonlySet<string>,
  level: Density,
  forecast?: Forecast | null,
  queues: ReadonlyMap<string, number> = NO_QUEUES,
): HostModel {
  const seats = new Map<string, NfView>();
  for (const nf of nfs.values()) seats.set(`${nf.seat.core}/${nf.seat.slot ?? 0}`, nf);
  const busy = new Map(host.cores.map((sample) => [sample.core, sample.busy_percent]));
  const nodeSamples = new Map(host.nodes?.map((sample) => [sample.node, sample]));
  const nodes = [...(host.inventory?.nodes ?? [])].sort((a, b) => a.id - b.id);
  const crowded = crowdedCores(host.inventory?.cores ?? [], nfs.values());
  const controls = new Map(host.controls?.map((one) => [one.chain, one]));
  const others = otherWork(host);
  const blamed = blamedOn(nfs.values(), forecast);
  const units: Unit[] = [];
  const cores: CoreModel[][] = [];
  for (const node of nodes) {
    const own: Unit[] = [];
    const models: CoreModel[] = [];
    for (const core of coresOfNode(host.inventory?.cores ?? [], node.id)) {
      const slots = slotsOf(core, crowded);
      let used = 0;
      for (let slot = 0; slot < slots; slot += 1) {
        const nf = seats.get(`${core.id}/${slot}`) ?? null;
        if (nf) used += 1;
        const culprit = (nf && blamed.get(nf.chain)) ?? null;
        const place = {
          blamed: culprit !== null && culprit.nfId === nf?.nf_id,
          busy: slots === 1 ? (busy.get(core.id) ?? null) : null,
          node: nodeSamples.get(node.id) ?? null,
          control: (nf && controls.get(nf.chain)) ?? null,
          standing: (nf && forecast?.chains.get(nf.chain)) ?? null,
          queue: (nf && queues.get(nf.nf_id)) ?? null,
        };
        const other = others.get(core.id)?.percent ?? null;
        own.push({ ...unitOf(host.host_id, node.id, core, slot, nf, layer, place, limiting), other, blamed: culprit });
      }
      if (used === 0 && others.has(core.id)) own.push(...own.splice(-slots).map(withoutNf));
      models.push({ core, busy: busy.get(core.id) ?? null, used });
    }
    if (level === "mass") own.sort(layer.ramp === "diverging" ? byShortfall : byPressure);
    units.push(...own);
    cores.push(models);
  }
  return {
    host,
    units,
    cores,
    nodes: nodes.map(({ id }) => nodeModel(layer, nodeSamples.get(id))),
    inUse: units.reduce((sum, unit) => sum + (unit.kind === "used" ? 1 : 0), 0),
    limits: units.some((unit) => unit.limits),
    forecast,
  };
}

function nodeModel(layer: Layer, sample: NodeSample | undefined): NodeModel {
  const value = sample && layer.ofNode ? layer.ofNode(sample) : null;
  return { value, step: value === null ? -1 : stepOf(layer, value) };
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
): Omit<Unit, "blamed" | "other"> {
  const kind: UnitKind = nf ? "used" : core.reserved_for || slot >= (core.slots ?? 1) ? "reserved" : "free";
  const value = nf ? layer.value(nf, place) : null;
  const step = value === null ? -1 : stepOf(layer, value);
  const limits = nf !== null && limiting.has(nf.nf_id);
  return { host, node, core, slot, kind, nf, value, step, limits, standing: place.standing };
}

/** A core without NFs is free, unless other work uses it. */
function withoutNf(unit: Unit): Unit {
  return unit.other !== null && unit.kind === "free" ? { ...unit, kind: "other" } : unit;
}

const KIND_ORDER: Record<UnitKind, number> = { used: 0, other: 1, reserved: 2, free: 3 };

/** Highest first, free cores last: a host becomes a gauge. */
function byPressure(a: Unit, b: Unit): number {
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || (b.value ?? -1) - (a.value ?? -1) || a.core.id - b.core.id;
}

/** Furthest below first, what cannot be compared after it, free cores last. */
function byShortfall(a: Unit, b: Unit): number {
  const least = (unit: Unit) => unit.value ?? Number.POSITIVE_INFINITY;
  const values = least(a) === least(b) ? 0 : least(a) - least(b);
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || values || a.core.id - b.core.id;
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
    forecast?: Forecast | null,
    queues: ReadonlyMap<string, number> = NO_QUEUES,
  ): HostModel {
    const inputs = [host, nfs, layer, limiting, level, forecast, queues];
    const entry = this.known.get(host.host_id);
    if (entry?.inputs.every((input, index) => input === inputs[index])) return entry.model;
    const model = modelOf(host, nfs, layer, limiting, level, forecast, queues);
    this.known.set(host.host_id, { inputs, model });
    return model;
  }
}

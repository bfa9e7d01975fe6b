/** What of a host matters to the geometry of the heat map, and nothing that changes with every sample. */

import type { HostView } from "@/api/types";
import { coresOfNode, crowdedCores, type Standing, slotsOf } from "@/capabilities/cores";

export interface CoreShape {
  readonly id: number;
  /** Units the core is drawn as: one a slot; a reserved core is one. */
  readonly slots: number;
}

export interface NodeShape {
  readonly id: number;
  readonly holdsNics: boolean;
  readonly cores: readonly CoreShape[];
}

export interface HostShape {
  readonly id: string;
  readonly zone: string;
  readonly rack: string;
  readonly nodes: readonly NodeShape[];
}

/** A host that has never reported has no nodes: it is drawn as its head alone. */
export function shapeOf(host: HostView, crowded: ReadonlyMap<number, number> = new Map()): HostShape {
  const inventory = host.inventory;
  const zone = host.labels.zone ?? "";
  const rack = host.labels.rack ?? "";
  if (!inventory) return { id: host.host_id, zone, rack, nodes: [] };
  const nodes = [...inventory.nodes].sort((a, b) => a.id - b.id);
  const nicNodes = new Set(inventory.nics?.map((nic) => nic.node) ?? []);
  const portNodes = new Set(inventory.ports?.map((port) => port.node) ?? []);
  return {
    id: host.host_id,
    zone,
    rack,
    nodes: nodes.map((node) => ({
      id: node.id,
      holdsNics: nicNodes.has(node.id) || portNodes.has(node.id),
      cores: coresOfNode(inventory.cores, node.id).map((core) => ({ id: core.id, slots: slotsOf(core, crowded) })),
    })),
  };
}

const shapes = new WeakMap<object, { readonly shape: HostShape; readonly crowded: string }>();

/** Like `shapeOf`, but the same object for as long as inventory, labels and who stands beyond the slots are. */
export function cachedShape(host: HostView, nfs: Iterable<Standing> = []): HostShape {
  const key = host.inventory ?? host;
  const crowded = crowdedCores(host.inventory?.cores ?? [], nfs);
  const text = [...crowded].join(" ");
  const known = shapes.get(key);
  const { zone = "", rack = "" } = host.labels;
  if (known && known.shape.zone === zone && known.shape.rack === rack && known.crowded === text) return known.shape;
  const shape = shapeOf(host, crowded);
  shapes.set(key, { shape, crowded: text });
  return shape;
}

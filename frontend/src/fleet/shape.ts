/** What of a host matters to the geometry of the heat map, and nothing that changes with every sample. */

import type { HostView } from "@/api/types";
import { coresOfNode, slotsOf } from "@/capabilities/cores";

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
export function shapeOf(host: HostView): HostShape {
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
      cores: coresOfNode(inventory.cores, node.id).map((core) => ({ id: core.id, slots: slotsOf(core) })),
    })),
  };
}

const shapes = new WeakMap<object, HostShape>();

/** Like `shapeOf`, but the same object for as long as inventory and labels are. */
export function cachedShape(host: HostView): HostShape {
  const key = host.inventory ?? host;
  const known = shapes.get(key);
  if (known && known.zone === (host.labels.zone ?? "") && known.rack === (host.labels.rack ?? "")) return known;
  const shape = shapeOf(host);
  shapes.set(key, shape);
  return shape;
}

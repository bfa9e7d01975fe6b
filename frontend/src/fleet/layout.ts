/** The heat map's geometry: one pure function from hosts and a width to boxes, in CSS pixels. */

import { type Density, densityFor } from "./density";
import { layoutLabelled } from "./layout-labelled";
import { layoutMass } from "./layout-mass";
import { layoutTiles } from "./layout-tiles";
import type { HostShape } from "./shape";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** One slot of one core; in `mass`, one place in a node's sorted row. */
export interface UnitBox extends Box {
  readonly host: number;
  /** Index in the host's nodes. */
  readonly node: number;
}

/** Above the slots of a shared core, where there is room for words (`labelled`). */
export interface CoreHeadBox extends Box {
  readonly host: number;
  readonly node: number;
  /** Index in the node's cores. */
  readonly core: number;
}

export interface NodeBox extends Box {
  readonly host: number;
  readonly node: number;
  readonly holdsNics: boolean;
}

export interface HostBox extends Box {
  /** Height of the head at the top of the box; 0 where there is none. */
  readonly head: number;
  /** This host's units are `units[first]` to `units[first + count - 1]`: node by node, core by core, slot by slot. */
  readonly first: number;
  readonly count: number;
}

export interface GroupBox extends Box {
  readonly label: string;
  readonly level: "zone" | "rack";
  readonly hosts: number;
  readonly cores: number;
}

export interface FleetLayout {
  readonly level: Density;
  readonly width: number;
  readonly height: number;
  readonly units: readonly UnitBox[];
  readonly coreHeads: readonly CoreHeadBox[];
  readonly nodes: readonly NodeBox[];
  readonly hosts: readonly HostBox[];
  readonly groups: readonly GroupBox[];
}

export interface LayoutOptions {
  /** Room for the map; a level that never shrinks may come out wider. */
  readonly width: number;
  readonly height: number;
  /** Overrides the density rule. */
  readonly level?: Density | undefined;
}

export function layoutFleet(hosts: readonly HostShape[], options: LayoutOptions): FleetLayout {
  const level = options.level ?? densityFor(hosts.length);
  const sheet = new Sheet();
  if (level === "labelled") layoutLabelled(hosts, options.width, sheet);
  else if (level === "mass") layoutMass(hosts, options, sheet);
  else layoutTiles(hosts, level, options.width, sheet);
  return sheet.finish(level);
}

/** Collects boxes while a level lays them out. */
export class Sheet {
  readonly units: UnitBox[] = [];
  readonly coreHeads: CoreHeadBox[] = [];
  readonly nodes: NodeBox[] = [];
  readonly groups: GroupBox[] = [];
  private readonly hosts = new Map<number, HostBox>();
  private first = 0;

  openHost(): void {
    this.first = this.units.length;
  }

  closeHost(host: number, box: Box, head: number): void {
    this.hosts.set(host, { ...box, head, first: this.first, count: this.units.length - this.first });
  }

  finish(level: Density): FleetLayout {
    const hosts = [...this.hosts.keys()].sort((a, b) => a - b).map((index) => this.hosts.get(index) as HostBox);
    const boxes: readonly Box[] = [...hosts, ...this.groups];
    return {
      level,
      width: boxes.reduce((most, box) => Math.max(most, box.x + box.w), 0),
      height: boxes.reduce((most, box) => Math.max(most, box.y + box.h), 0),
      units: this.units,
      coreHeads: this.coreHeads,
      nodes: this.nodes,
      hosts,
      groups: this.groups,
    };
  }
}

export interface Group {
  readonly zone: string;
  readonly rack: string;
  /** Indices into the hosts. */
  readonly members: readonly number[];
}

/** Hosts by zone and rack; both in order of name, numbers in names by value (a2 before a10). */
export function groupHosts(hosts: readonly HostShape[]): Group[] {
  const groups = new Map<string, { zone: string; rack: string; members: number[] }>();
  hosts.forEach((host, index) => {
    const key = `${host.zone}\n${host.rack}`;
    const group = groups.get(key) ?? { zone: host.zone, rack: host.rack, members: [] };
    group.members.push(index);
    groups.set(key, group);
  });
  return [...groups.values()].sort((a, b) => byName(a.zone, b.zone) || byName(a.rack, b.rack));
}

const collator = new Intl.Collator("en", { numeric: true });
export const byName = (a: string, b: string): number => collator.compare(a, b);

export function coreCount(host: HostShape): number {
  return host.nodes.reduce((sum, node) => sum + node.cores.length, 0);
}

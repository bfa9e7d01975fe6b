/** Where the levels put their boxes. */

import type { Box, CoreHeadBox, FleetLayout, GroupBox, HostBox, NodeBox, UnitBox } from "./boxes";
import type { Density } from "./density";

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

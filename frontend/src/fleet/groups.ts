/** Hosts in the order of the map: by zone, rack and name. */

import type { HostShape } from "./shape";

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

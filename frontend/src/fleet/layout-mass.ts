/** `mass`, from 301 hosts: zone x rack x host, node 0 above node 1, every unit one mark, sorted by the painter. */

import type { LayoutOptions } from "./boxes";
import { byName, coreCount, type Group, groupHosts } from "./groups";
import type { HostShape } from "./shape";
import type { Sheet } from "./sheet";

interface Mark {
  readonly w: number;
  readonly h: number;
}

/** Tried from the largest; the last is the smallest that may be drawn. */
const MARKS: readonly Mark[] = [
  { w: 4, h: 5 },
  { w: 3, h: 4 },
  { w: 2, h: 4 },
  { w: 2, h: 3 },
  { w: 2, h: 2 },
];
const MARKS_PER_ROW = 8;
const HOSTS_PER_ROW = 5;
const NODE_GAP = 2;
const HOST_GAP = 2;
const RACK_HEAD = 14;
const RACK_GAP_X = 14;
const RACK_GAP_Y = 10;
const ZONE_MARGIN = 24;

interface Plan {
  readonly mark: Mark;
  readonly hostW: number;
  readonly hostH: number;
  readonly racksPerRow: number;
  readonly height: number;
}

export function layoutMass(hosts: readonly HostShape[], options: LayoutOptions, sheet: Sheet): void {
  const groups = groupHosts(hosts);
  const plan = choosePlan(hosts, groups, options);
  let y = 0;
  for (const zone of zonesOf(groups)) {
    y = placeZone(hosts, zone, plan, y, options.width, sheet);
  }
}

/** The largest mark with which the whole fleet fits the screen; the smallest where none does. */
function choosePlan(hosts: readonly HostShape[], groups: readonly Group[], options: LayoutOptions): Plan {
  const plans = MARKS.map((mark) => planFor(hosts, groups, mark, options.width));
  const smallest = plans.at(-1) as Plan;
  return plans.find((plan) => plan.height <= options.height) ?? smallest;
}

function planFor(hosts: readonly HostShape[], groups: readonly Group[], mark: Mark, width: number): Plan {
  const hostW = MARKS_PER_ROW * mark.w;
  const hostH = hosts.reduce((most, host) => Math.max(most, hostHeight(host, mark)), 0);
  const rackW = HOSTS_PER_ROW * (hostW + HOST_GAP) - HOST_GAP;
  const racksPerRow = Math.max(1, Math.floor((width - ZONE_MARGIN + RACK_GAP_X) / (rackW + RACK_GAP_X)));
  const plan = { mark, hostW, hostH, racksPerRow, height: 0 };
  const height = zonesOf(groups).reduce((sum, zone) => sum + zoneHeight(zone, plan), 0);
  return { ...plan, height };
}

function nodeHeight(marks: number, mark: Mark): number {
  return Math.ceil(marks / MARKS_PER_ROW) * mark.h;
}

function unitsOf(host: HostShape, node: number): number {
  return host.nodes[node]?.cores.reduce((sum, core) => sum + core.slots, 0) ?? 0;
}

function hostHeight(host: HostShape, mark: Mark): number {
  return host.nodes.reduce((sum, _, node) => sum + nodeHeight(unitsOf(host, node), mark) + NODE_GAP, -NODE_GAP);
}

function zonesOf(groups: readonly Group[]): Group[][] {
  const zones = new Map<string, Group[]>();
  for (const group of groups) {
    const known = zones.get(group.zone);
    if (known) known.push(group);
    else zones.set(group.zone, [group]);
  }
  return [...zones.keys()].sort(byName).map((zone) => zones.get(zone) as Group[]);
}

function rackHeight(rack: Group, plan: Plan): number {
  return RACK_HEAD + Math.ceil(rack.members.length / HOSTS_PER_ROW) * (plan.hostH + HOST_GAP);
}

function rackRows(zone: readonly Group[], plan: Plan): Group[][] {
  const rows: Group[][] = [];
  for (let start = 0; start < zone.length; start += plan.racksPerRow) {
    rows.push(zone.slice(start, start + plan.racksPerRow));
  }
  return rows;
}

function zoneHeight(zone: readonly Group[], plan: Plan): number {
  return rackRows(zone, plan).reduce(
    (sum, row) => sum + Math.max(...row.map((rack) => rackHeight(rack, plan))) + RACK_GAP_Y,
    0,
  );
}

function placeZone(
  hosts: readonly HostShape[],
  zone: readonly Group[],
  plan: Plan,
  top: number,
  width: number,
  sheet: Sheet,
): number {
  const members = zone.flatMap((rack) => rack.members);
  const cores = members.reduce((sum, index) => sum + coreCount(hosts[index] as HostShape), 0);
  const label = zone[0]?.zone ?? "";
  const h = zoneHeight(zone, plan);
  sheet.groups.push({ label, level: "zone", hosts: members.length, cores, x: 0, y: top, w: width, h });
  let y = top;
  for (const row of rackRows(zone, plan)) {
    row.forEach((rack, column) => {
      const rackW = HOSTS_PER_ROW * (plan.hostW + HOST_GAP) - HOST_GAP;
      const x = ZONE_MARGIN + column * (rackW + RACK_GAP_X);
      placeRack(hosts, rack, plan, x, y, rackW, sheet);
    });
    y += Math.max(...row.map((rack) => rackHeight(rack, plan))) + RACK_GAP_Y;
  }
  return y;
}

function placeRack(
  hosts: readonly HostShape[],
  rack: Group,
  plan: Plan,
  x: number,
  y: number,
  w: number,
  sheet: Sheet,
): void {
  const cores = rack.members.reduce((sum, index) => sum + coreCount(hosts[index] as HostShape), 0);
  const h = rackHeight(rack, plan);
  sheet.groups.push({ label: rack.rack, level: "rack", hosts: rack.members.length, cores, x, y, w, h });
  rack.members.forEach((index, place) => {
    const hostX = x + (place % HOSTS_PER_ROW) * (plan.hostW + HOST_GAP);
    const hostY = y + RACK_HEAD + Math.floor(place / HOSTS_PER_ROW) * (plan.hostH + HOST_GAP);
    sheet.openHost();
    placeHost(hosts[index] as HostShape, index, hostX, hostY, plan, sheet);
    sheet.closeHost(index, { x: hostX, y: hostY, w: plan.hostW, h: plan.hostH }, 0);
  });
}

function placeHost(host: HostShape, index: number, x: number, y: number, plan: Plan, sheet: Sheet): void {
  const { mark } = plan;
  let top = y;
  host.nodes.forEach((node, position) => {
    const count = unitsOf(host, position);
    const h = nodeHeight(count, mark);
    sheet.nodes.push({ host: index, node: position, holdsNics: node.holdsNics, x, y: top, w: plan.hostW, h });
    for (let place = 0; place < count; place += 1) {
      sheet.units.push({
        host: index,
        node: position,
        x: x + (place % MARKS_PER_ROW) * mark.w,
        y: top + Math.floor(place / MARKS_PER_ROW) * mark.h,
        w: mark.w,
        h: mark.h,
      });
    }
    top += h + NODE_GAP;
  });
}

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
  { w: 6, h: 7 },
  { w: 5, h: 6 },
  { w: 4, h: 5 },
  { w: 3, h: 4 },
  { w: 2, h: 4 },
  { w: 2, h: 3 },
  { w: 2, h: 2 },
];
const MARKS_PER_ROW = 8;
/** A rack is at least so wide; one of more hosts than fill so many rows grows wider first, then higher. */
const LEAST_HOSTS_PER_ROW = 5;
const ROWS_BEFORE_WIDER = 4;
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
  /** Of the whole map. */
  readonly width: number;
}

export function layoutMass(hosts: readonly HostShape[], options: LayoutOptions, sheet: Sheet): void {
  const zones = zonesOf(groupHosts(hosts));
  const plan = choosePlan(hosts, zones, options);
  let y = 0;
  for (const zone of zones) {
    y = placeZone(hosts, zone, plan, y, sheet);
  }
}

/** The largest mark with which the whole fleet fits the screen; the smallest where none does. */
function choosePlan(hosts: readonly HostShape[], zones: readonly Group[][], options: LayoutOptions): Plan {
  const plans = MARKS.map((mark) => planFor(hosts, mark, options.width));
  const heightOf = (plan: Plan) => zones.reduce((sum, zone) => sum + zoneHeight(zone, plan), 0);
  return plans.find((plan) => heightOf(plan) <= options.height) ?? (plans.at(-1) as Plan);
}

function planFor(hosts: readonly HostShape[], mark: Mark, width: number): Plan {
  // A host that has not reported what it offers still has a place, for its cross.
  const hostH = hosts.reduce((most, host) => Math.max(most, hostHeight(host, mark)), mark.h);
  return { mark, hostW: MARKS_PER_ROW * mark.w, hostH, width };
}

/** Hosts of a rack side by side. */
function columnsOf(rack: Group, plan: Plan): number {
  const room = Math.floor((plan.width - ZONE_MARGIN + HOST_GAP) / (plan.hostW + HOST_GAP));
  const wanted = Math.max(LEAST_HOSTS_PER_ROW, Math.ceil(rack.members.length / ROWS_BEFORE_WIDER));
  return Math.max(LEAST_HOSTS_PER_ROW, Math.min(wanted, room));
}

function rackWidth(rack: Group, plan: Plan): number {
  return columnsOf(rack, plan) * (plan.hostW + HOST_GAP) - HOST_GAP;
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
  return RACK_HEAD + Math.ceil(rack.members.length / columnsOf(rack, plan)) * (plan.hostH + HOST_GAP);
}

/** Racks side by side as far as they fit. */
function rackRows(zone: readonly Group[], plan: Plan): Group[][] {
  const rows: Group[][] = [];
  let right = Number.POSITIVE_INFINITY;
  for (const rack of zone) {
    const w = rackWidth(rack, plan);
    if (right + w > plan.width) {
      rows.push([]);
      right = ZONE_MARGIN;
    }
    rows.at(-1)?.push(rack);
    right += w + RACK_GAP_X;
  }
  return rows;
}

const rowHeight = (row: readonly Group[], plan: Plan): number =>
  Math.max(...row.map((rack) => rackHeight(rack, plan))) + RACK_GAP_Y;

function zoneHeight(zone: readonly Group[], plan: Plan): number {
  return rackRows(zone, plan).reduce((sum, row) => sum + rowHeight(row, plan), 0);
}

function placeZone(hosts: readonly HostShape[], zone: readonly Group[], plan: Plan, top: number, sheet: Sheet): number {
  const members = zone.flatMap((rack) => rack.members);
  const cores = members.reduce((sum, index) => sum + coreCount(hosts[index] as HostShape), 0);
  const label = zone[0]?.zone ?? "";
  const h = zoneHeight(zone, plan);
  sheet.groups.push({ label, level: "zone", hosts: members.length, cores, x: 0, y: top, w: plan.width, h });
  let y = top;
  for (const row of rackRows(zone, plan)) {
    let x = ZONE_MARGIN;
    for (const rack of row) {
      placeRack(hosts, rack, plan, x, y, sheet);
      x += rackWidth(rack, plan) + RACK_GAP_X;
    }
    y += rowHeight(row, plan);
  }
  return y;
}

function placeRack(hosts: readonly HostShape[], rack: Group, plan: Plan, x: number, y: number, sheet: Sheet): void {
  const cores = rack.members.reduce((sum, index) => sum + coreCount(hosts[index] as HostShape), 0);
  const [w, h] = [rackWidth(rack, plan), rackHeight(rack, plan)];
  sheet.groups.push({ label: rack.rack, level: "rack", hosts: rack.members.length, cores, x, y, w, h });
  const columns = columnsOf(rack, plan);
  rack.members.forEach((index, place) => {
    const hostX = x + (place % columns) * (plan.hostW + HOST_GAP);
    const hostY = y + RACK_HEAD + Math.floor(place / columns) * (plan.hostH + HOST_GAP);
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

/** `compact` (9 to 60 hosts) and `dense` (61 to 300): hosts as tiles in racks; a tile's area follows its cores. */

import { coreCount, groupHosts } from "./groups";
import type { HostShape, NodeShape } from "./shape";
import type { Sheet } from "./sheet";

interface Measure {
  readonly cellW: number;
  readonly cellH: number;
  readonly pitchX: number;
  readonly pitchY: number;
  /** Width of one slot of a shared core. */
  readonly slotW: number;
  readonly margin: number;
  readonly head: number;
  readonly nodeGap: number;
  readonly tileGapX: number;
  readonly tileGapY: number;
  readonly minTile: number;
}

/** Under this width of the map the compact cell is five pixels wide (a window under 1181 px). */
export const NARROW_MAP = 760;

const COMPACT: Measure = {
  cellW: 8,
  cellH: 26,
  pitchX: 9,
  pitchY: 27,
  slotW: 5,
  margin: 14,
  head: 20,
  nodeGap: 6,
  tileGapX: 22,
  tileGapY: 10,
  minTile: 96,
};
const COMPACT_NARROW: Measure = { ...COMPACT, cellW: 5, pitchX: 6, slotW: 4, tileGapX: 14 };
const DENSE: Measure = {
  cellW: 4,
  cellH: 8,
  pitchX: 5,
  pitchY: 9,
  slotW: 3,
  margin: 4,
  head: 15,
  nodeGap: 3,
  tileGapX: 12,
  tileGapY: 6,
  minTile: 56,
};
const GROUP_HEAD = 24;

export function layoutTiles(
  hosts: readonly HostShape[],
  level: "compact" | "dense",
  width: number,
  sheet: Sheet,
): void {
  const measure = level === "dense" ? DENSE : width < NARROW_MAP ? COMPACT_NARROW : COMPACT;
  const tileW = hosts.reduce((most, host) => Math.max(most, tileSize(host, measure).w), measure.minTile);
  const columns = Math.max(1, Math.floor((width + measure.tileGapX) / (tileW + measure.tileGapX)));
  let y = 0;
  for (const group of groupHosts(hosts)) {
    const label = [group.zone, group.rack].filter(Boolean).join(" / ");
    const cores = group.members.reduce((sum, index) => sum + coreCount(hosts[index] as HostShape), 0);
    const head = label ? GROUP_HEAD : 0;
    const top = y;
    if (label) {
      sheet.groups.push({ label, level: "rack", hosts: group.members.length, cores, x: 0, y: top, w: width, h: head });
    }
    y = placeRows(hosts, group.members, columns, tileW, top + head, measure, sheet);
  }
}

/** Rows of `columns` tiles, each row as tall as its tallest; returns where the next group starts. */
function placeRows(
  hosts: readonly HostShape[],
  members: readonly number[],
  columns: number,
  tileW: number,
  top: number,
  measure: Measure,
  sheet: Sheet,
): number {
  let y = top;
  for (let start = 0; start < members.length; start += columns) {
    const row = members.slice(start, start + columns);
    let tallest = 0;
    row.forEach((index, column) => {
      const host = hosts[index] as HostShape;
      const x = column * (tileW + measure.tileGapX);
      const size = tileSize(host, measure);
      sheet.openHost();
      placeHost(host, index, x, y + measure.head, measure, sheet);
      sheet.closeHost(index, { x, y, w: tileW, h: size.h }, measure.head);
      tallest = Math.max(tallest, size.h);
    });
    y += tallest + measure.tileGapY;
  }
  return y;
}

/** Nodes stacked; four and more are set two by two. */
function nodeGrid(host: HostShape, measure: Measure): { columns: number; cellW: number; cellH: number } {
  const columns = host.nodes.length >= 4 ? 2 : 1;
  const widest = host.nodes.reduce((most, node) => Math.max(most, nodeWidth(node, measure)), 0);
  return { columns, cellW: measure.margin + widest, cellH: 2 * measure.pitchY - 1 };
}

function tileSize(host: HostShape, measure: Measure): { w: number; h: number } {
  const grid = nodeGrid(host, measure);
  const rows = Math.ceil(host.nodes.length / grid.columns);
  return {
    w: grid.columns * (grid.cellW + measure.nodeGap) - measure.nodeGap,
    h: measure.head + Math.max(0, rows * (grid.cellH + measure.nodeGap) - measure.nodeGap),
  };
}

function placeHost(host: HostShape, index: number, x: number, y: number, measure: Measure, sheet: Sheet): void {
  const grid = nodeGrid(host, measure);
  host.nodes.forEach((node, position) => {
    const nodeX = x + (position % grid.columns) * (grid.cellW + measure.nodeGap) + measure.margin;
    const nodeY = y + Math.floor(position / grid.columns) * (grid.cellH + measure.nodeGap);
    sheet.nodes.push({
      host: index,
      node: position,
      holdsNics: node.holdsNics,
      x: nodeX,
      y: nodeY,
      w: nodeWidth(node, measure),
      h: grid.cellH,
    });
    placeNode(node, index, position, nodeX, nodeY, measure, sheet);
  });
}

function coreWidth(slots: number, measure: Measure): number {
  return slots > 1 ? slots * measure.slotW : measure.cellW;
}

/** The cores of a node in two rows, in the order of their numbers. */
function rowsOf(node: NodeShape): readonly (readonly number[])[] {
  const indices = node.cores.map((_, index) => index);
  const half = Math.ceil(indices.length / 2);
  return [indices.slice(0, half), indices.slice(half)];
}

function nodeWidth(node: NodeShape, measure: Measure): number {
  const gap = measure.pitchX - measure.cellW;
  const widths = rowsOf(node).map((row) =>
    row.reduce((sum, index) => sum + coreWidth(node.cores[index]?.slots ?? 1, measure) + gap, -gap),
  );
  return Math.max(0, ...widths);
}

function placeNode(
  node: NodeShape,
  host: number,
  position: number,
  left: number,
  top: number,
  measure: Measure,
  sheet: Sheet,
): void {
  rowsOf(node).forEach((row, line) => {
    let x = left;
    for (const index of row) {
      const slots = node.cores[index]?.slots ?? 1;
      const width = coreWidth(slots, measure);
      for (let slot = 0; slot < slots; slot += 1) {
        const w = slots > 1 ? measure.slotW : width;
        const y = top + line * measure.pitchY;
        sheet.units.push({ host, node: position, x: x + slot * w, y, w, h: measure.cellH });
      }
      x += width + measure.pitchX - measure.cellW;
    }
  });
}

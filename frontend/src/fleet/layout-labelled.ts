/** `labelled`, 1 to 8 hosts: every cell can be read. Nodes and hosts side by side where there is room; cells never shrink,
 * and grow into what room is left, those of equal hosts alike. */

import type { HostShape, NodeShape } from "./shape";
import type { Sheet } from "./sheet";

export const LABELLED = {
  cellW: 56,
  /** Beyond, a wider cell says no more. */
  widestCell: 108,
  cellH: 54,
  gap: 2,
  /** Left of a node: its number and the bar of the node that holds the NICs. */
  margin: 18,
  nodeGap: 26,
  hostHead: 26,
  /** Between nodes that stand one below the other. */
  nodeGapY: 10,
  hostGap: 12,
  /** Between hosts that stand side by side. */
  hostGapX: 18,
  /** The head of a host needs words. */
  leastHost: 320,
  /** Above the slots of a shared core: its number, slots in use, load. */
  coreHead: 18,
  /** Between slots of one core: closer than cores are to each other. */
  slotGap: 1,
  coreGap: 10,
} as const;

export function layoutLabelled(hosts: readonly HostShape[], width: number, sheet: Sheet): void {
  const boxes = grown(hosts, width);
  hosts.forEach((host, index) => {
    const box = boxes[index];
    if (!box) return;
    sheet.openHost();
    placeNodes(host, index, box, sheet);
    sheet.closeHost(index, { x: box.x, y: box.y, w: box.w, h: box.h }, LABELLED.hostHead);
  });
}

interface HostPlace {
  x: number;
  y: number;
  w: number;
  h: number;
  /** As wide as its cells may be, together. */
  room: number;
  cellW: number;
  nodes: readonly { dx: number; dy: number; w: number; h: number }[];
}

/** The same rows of hosts, each host with the widest cells that every row with a host of its shape holds. A small host in one
 * row does not keep the cells of another row narrow. */
function grown(hosts: readonly HostShape[], width: number): readonly HostPlace[] {
  const least = shelves(hosts, width, () => LABELLED.cellW);
  const widest = new Map<string, number>();
  for (const row of rowsOf(least)) {
    const cellW = widestOf(
      row.map((index) => hosts[index] as HostShape),
      row.map((index) => least[index]?.h),
      width,
    );
    for (const index of row) {
      const key = formOf(hosts[index] as HostShape);
      widest.set(key, Math.min(cellW, widest.get(key) ?? cellW));
    }
  }
  return shelves(hosts, width, (host) => widest.get(formOf(host)) ?? LABELLED.cellW);
}

/** Hosts of equal form are drawn alike. */
function formOf(host: HostShape): string {
  return host.nodes.map(({ cores }) => cores.map(({ slots }) => slots).join()).join("|");
}

/** Indices of the hosts that stand side by side. */
function rowsOf(boxes: readonly HostPlace[]): readonly (readonly number[])[] {
  const rows = new Map<number, number[]>();
  boxes.forEach(({ y }, index) => {
    rows.set(y, [...(rows.get(y) ?? []), index]);
  });
  return [...rows.values()];
}

/** With which these hosts still stand in one row, each as high as `heights` says. */
function widestOf(row: readonly HostShape[], heights: readonly (number | undefined)[], width: number): number {
  for (let cellW = LABELLED.widestCell; cellW > LABELLED.cellW; cellW -= 1) {
    const sizes = row.map((host) => measureHost(host, width, cellW));
    const across = sizes.reduce((sum, { w }) => sum + w + LABELLED.hostGapX, -LABELLED.hostGapX);
    if (across <= width && sizes.every(({ h }, index) => h === heights[index])) return cellW;
  }
  return LABELLED.cellW;
}

/** Hosts beside each other where the width holds them, in their order, each row as high as its highest. */
function shelves(
  hosts: readonly HostShape[],
  width: number,
  cellOf: (host: HostShape) => number,
): readonly HostPlace[] {
  let [x, y, line] = [0, 0, 0];
  return hosts.map((host) => {
    const size = measureHost(host, width, cellOf(host));
    if (x > 0 && x + size.w > width) {
      x = 0;
      y += line + LABELLED.hostGap;
      line = 0;
    }
    const box = { ...size, x, y };
    x += size.w + LABELLED.hostGapX;
    line = Math.max(line, size.h);
    return box;
  });
}

/** A host by itself: its nodes in a row, or one below the other where they have no room so. */
function measureHost(host: HostShape, width: number, cellW: number): Omit<HostPlace, "x" | "y"> {
  const room = width - LABELLED.margin;
  const sizes = host.nodes.map((node) => measureNode(node, room, cellW));
  const across = sizes.reduce((sum, { w }) => sum + w, 0) + LABELLED.nodeGap * Math.max(0, sizes.length - 1);
  const perRow = across <= room ? sizes.length : 1;
  let [dx, dy, line]: [number, number, number] = [LABELLED.margin, LABELLED.hostHead, 0];
  const nodes = sizes.map(({ w, h }, position) => {
    if (position > 0 && position % perRow === 0) {
      dx = LABELLED.margin;
      dy += line + LABELLED.nodeGapY;
      line = 0;
    }
    const node = { dx, dy, w, h };
    dx += w + LABELLED.nodeGap;
    line = Math.max(line, h);
    return node;
  });
  const right = nodes.reduce((most, node) => Math.max(most, node.dx + node.w), 0);
  return { w: Math.max(right, LABELLED.leastHost), h: dy + line, room, cellW, nodes };
}

function placeNodes(host: HostShape, index: number, box: HostPlace, sheet: Sheet): void {
  host.nodes.forEach((node, position) => {
    const at = box.nodes[position];
    if (!at) return;
    const [x, y] = [box.x + at.dx, box.y + at.dy];
    sheet.nodes.push({ host: index, node: position, holdsNics: node.holdsNics, x, y, w: at.w, h: at.h });
    if (isShared(node)) placeShared(node, index, position, x, y, box.room, box.cellW, sheet);
    else placeGrid(node, index, position, x, y, box.cellW, sheet);
  });
}

export function isShared(node: NodeShape): boolean {
  return node.cores.some((core) => core.slots > 1);
}

function measureNode(node: NodeShape, room: number, cellW: number): { w: number; h: number } {
  if (isShared(node)) {
    const boxes = sharedBoxes(node, room, cellW);
    return {
      w: boxes.reduce((most, box) => Math.max(most, box.x + box.w), 0),
      h: boxes.reduce((most, box) => Math.max(most, box.y + box.h), 0),
    };
  }
  const { cellH, gap } = LABELLED;
  const columns = Math.ceil(node.cores.length / 2);
  const rows = node.cores.length > 1 ? 2 : node.cores.length;
  return { w: Math.max(0, columns * (cellW + gap) - gap), h: Math.max(0, rows * (cellH + gap) - gap) };
}

/** Two rows of cores, in the order of their numbers. */
function placeGrid(
  node: NodeShape,
  host: number,
  position: number,
  x: number,
  y: number,
  cellW: number,
  sheet: Sheet,
): void {
  const { cellH, gap } = LABELLED;
  const columns = Math.ceil(node.cores.length / 2);
  node.cores.forEach((_, core) => {
    const column = core % columns;
    const row = Math.floor(core / columns);
    sheet.units.push({
      host,
      node: position,
      x: x + column * (cellW + gap),
      y: y + row * (cellH + gap),
      w: cellW,
      h: cellH,
    });
  });
}

interface SharedBox {
  x: number;
  y: number;
  w: number;
  h: number;
  columns: number;
  rows: number;
}

/** Cores of a small host: each as wide as its slots need to be read, flowing into rows. */
function sharedBoxes(node: NodeShape, room: number, cellW: number): SharedBox[] {
  const { cellH, slotGap, coreHead, coreGap } = LABELLED;
  const fit = Math.max(1, Math.floor((room + slotGap) / (cellW + slotGap)));
  let x = 0;
  let y = 0;
  let line = 0;
  return node.cores.map((core) => {
    const columns = Math.min(core.slots, fit);
    const rows = Math.ceil(core.slots / columns);
    const w = columns * (cellW + slotGap) - slotGap;
    const h = coreHead + rows * (cellH + slotGap) - slotGap;
    if (x > 0 && x + w > room) {
      x = 0;
      y += line + coreGap;
      line = 0;
    }
    const box = { x, y, w, h, columns, rows };
    x += w + coreGap;
    line = Math.max(line, h);
    return box;
  });
}

function placeShared(
  node: NodeShape,
  host: number,
  position: number,
  x: number,
  y: number,
  room: number,
  cellW: number,
  sheet: Sheet,
): void {
  const { cellH, slotGap, coreHead } = LABELLED;
  sharedBoxes(node, room, cellW).forEach((box, core) => {
    sheet.coreHeads.push({ host, node: position, core, x: x + box.x, y: y + box.y, w: box.w, h: coreHead });
    const slots = node.cores[core]?.slots ?? 0;
    for (let slot = 0; slot < slots; slot += 1) {
      sheet.units.push({
        host,
        node: position,
        x: x + box.x + (slot % box.columns) * (cellW + slotGap),
        y: y + box.y + coreHead + Math.floor(slot / box.columns) * (cellH + slotGap),
        w: cellW,
        h: cellH,
      });
    }
  });
}

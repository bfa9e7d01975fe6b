/** `labelled`, 1 to 8 hosts: every cell can be read. Nodes side by side where there is room; never shrinks. */

import type { HostShape, NodeShape } from "./shape";
import type { Sheet } from "./sheet";

export const LABELLED = {
  cellW: 56,
  cellH: 54,
  gap: 2,
  /** Left of a node: its number and the bar of the node that holds the NICs. */
  margin: 18,
  nodeGap: 26,
  hostHead: 26,
  hostGap: 12,
  /** Above the slots of a shared core: its number, slots in use, load. */
  coreHead: 18,
  /** Between slots of one core: closer than cores are to each other. */
  slotGap: 1,
  coreGap: 10,
} as const;

export function layoutLabelled(hosts: readonly HostShape[], width: number, sheet: Sheet): void {
  let y = 0;
  hosts.forEach((host, index) => {
    sheet.openHost();
    const size = placeNodes(host, index, y + LABELLED.hostHead, width, sheet);
    const h = LABELLED.hostHead + size.h;
    sheet.closeHost(index, { x: 0, y, w: Math.max(size.w, 320), h }, LABELLED.hostHead);
    y += h + LABELLED.hostGap;
  });
}

function placeNodes(
  host: HostShape,
  index: number,
  top: number,
  width: number,
  sheet: Sheet,
): { w: number; h: number } {
  const sizes = host.nodes.map((node) => measureNode(node, width - LABELLED.margin));
  const row = sizes.reduce((sum, size) => sum + size.w, 0) + LABELLED.nodeGap * Math.max(0, sizes.length - 1);
  const sideBySide = LABELLED.margin + row <= width;
  let x = LABELLED.margin;
  let y = top;
  let w = 0;
  host.nodes.forEach((node, position) => {
    const size = sizes[position] ?? { w: 0, h: 0, perRow: 1 };
    sheet.nodes.push({ host: index, node: position, holdsNics: node.holdsNics, x, y, w: size.w, h: size.h });
    if (isShared(node)) placeShared(node, index, position, x, y, width - LABELLED.margin, sheet);
    else placeGrid(node, index, position, x, y, sheet);
    w = Math.max(w, x + size.w);
    if (sideBySide) x += size.w + LABELLED.nodeGap;
    else y += size.h + 10;
  });
  const tallest = sizes.reduce((most, size) => Math.max(most, size.h), 0);
  const stacked = sizes.reduce((sum, size) => sum + size.h + 10, 0) - 10;
  return { w, h: Math.max(0, sideBySide ? tallest : stacked) };
}

export function isShared(node: NodeShape): boolean {
  return node.cores.some((core) => core.slots > 1);
}

function measureNode(node: NodeShape, room: number): { w: number; h: number } {
  if (isShared(node)) {
    const boxes = sharedBoxes(node, room);
    return {
      w: boxes.reduce((most, box) => Math.max(most, box.x + box.w), 0),
      h: boxes.reduce((most, box) => Math.max(most, box.y + box.h), 0),
    };
  }
  const { cellW, cellH, gap } = LABELLED;
  const columns = Math.ceil(node.cores.length / 2);
  const rows = node.cores.length > 1 ? 2 : node.cores.length;
  return { w: Math.max(0, columns * (cellW + gap) - gap), h: Math.max(0, rows * (cellH + gap) - gap) };
}

/** Two rows of cores, in the order of their numbers. */
function placeGrid(node: NodeShape, host: number, position: number, x: number, y: number, sheet: Sheet): void {
  const { cellW, cellH, gap } = LABELLED;
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
function sharedBoxes(node: NodeShape, room: number): SharedBox[] {
  const { cellW, cellH, slotGap, coreHead, coreGap } = LABELLED;
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
  sheet: Sheet,
): void {
  const { cellW, cellH, slotGap, coreHead } = LABELLED;
  sharedBoxes(node, room).forEach((box, core) => {
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

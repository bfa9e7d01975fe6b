/** Sets a node's physical cores into rows. Pure. */

import type { Block, NodeBlocks } from "./blocks";
import { FRAME, type Measure } from "./picture-measure";

export interface PlacedUnit {
  readonly core: number;
  readonly slot: number;
  readonly x: number;
  readonly y: number;
}

export interface PlacedHead {
  readonly core: number;
  readonly x: number;
  readonly y: number;
  readonly w: number;
}

/** A node's cells from its own corner. */
export interface NodeRows {
  readonly w: number;
  readonly h: number;
  readonly rows: number;
  readonly units: readonly PlacedUnit[];
  readonly heads: readonly PlacedHead[];
  /** Physical cores of several threads, for their brackets. */
  readonly pairs: readonly { readonly x: number; readonly y: number; readonly w: number }[];
  /** A row was broken within one physical core: its cells do not all lie at the row's edge. */
  readonly broken: boolean;
}

interface BlockSize {
  readonly w: number;
  readonly h: number;
  readonly units: readonly PlacedUnit[];
  readonly heads: readonly PlacedHead[];
  readonly broken: boolean;
  readonly threads: number;
}

/** Up to so many physical cores stand in one row; more in two, with a corridor between them. */
const ONE_ROW = 8;

/** `corridor`: room left below the first row. */
export function rowsOfNode(node: NodeBlocks, room: number, measure: Measure, corridor: number): NodeRows {
  const head = node.shared ? measure.coreHead : 0;
  const gap = head > 0 ? FRAME.sharedGap : measure.blockGap;
  const blocks = node.blocks.map((block) => sizeOf(block, room, measure, head));
  const rows = inRows(blocks, room, gap);
  const units: PlacedUnit[] = [];
  const heads: PlacedHead[] = [];
  const pairs: { x: number; y: number; w: number }[] = [];
  let y = 0;
  let w = 0;
  rows.forEach((row, index) => {
    let x = 0;
    for (const block of row) {
      units.push(...block.units.map((unit) => ({ ...unit, x: x + unit.x, y: y + unit.y })));
      heads.push(...block.heads.map((each) => ({ ...each, x: x + each.x, y: y + each.y })));
      if (block.threads > 1) pairs.push({ x, y: y + block.h, w: block.w });
      x += block.w + gap;
    }
    w = Math.max(w, x - gap);
    y +=
      row.reduce((most, { h }) => Math.max(most, h), 0) +
      (index === 0 ? Math.max(corridor, measure.rowGap) : measure.rowGap);
  });
  // Below the last row there is a corridor only where that row is the first.
  const end = rows.length === 1 ? Math.max(corridor, measure.rowGap) - corridor : measure.rowGap;
  const broken = blocks.some((block) => block.broken);
  return { w: Math.max(0, w), h: Math.max(0, y - end), rows: rows.length, units, heads, pairs, broken };
}

/** One row, or two, or as few as there must be; rows of equal length where that fits. */
function inRows(blocks: readonly BlockSize[], room: number, gap: number): BlockSize[][] {
  if (blocks.length === 0) return [];
  const fits = (row: readonly BlockSize[]) => row.reduce((sum, { w }) => sum + w + gap, -gap) <= room;
  const filled = fill(blocks, room, gap);
  const least = blocks.length <= ONE_ROW ? 1 : 2;
  const each = Math.ceil(blocks.length / Math.max(least, filled.length));
  const even = Array.from({ length: Math.ceil(blocks.length / each) }, (_, at) =>
    blocks.slice(at * each, (at + 1) * each),
  );
  return even.every(fits) ? even : filled;
}

/** Each row as full as it goes. */
function fill(blocks: readonly BlockSize[], room: number, gap: number): BlockSize[][] {
  const rows: BlockSize[][] = [];
  let x = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    if (x + block.w > room) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1)?.push(block);
    x += block.w + gap;
  }
  return rows;
}

/** Threads side by side; the slots of one that is wider than the room break into lines. */
function sizeOf(block: Block, room: number, measure: Measure, head: number): BlockSize {
  const { cellW, cellH, slotGap, threadGap } = measure;
  const columns = Math.max(1, Math.floor((room + slotGap) / (cellW + slotGap)));
  const units: PlacedUnit[] = [];
  const heads: PlacedHead[] = [];
  let x = 0;
  let y = 0;
  let w = 0;
  let line = 0;
  let broken = false;
  for (const { core, slots } of block.threads) {
    const across = Math.min(slots, columns);
    const width = across * (cellW + slotGap) - slotGap;
    if (x > 0 && x + width > room) {
      broken = true;
      x = 0;
      y += line + slotGap;
      line = 0;
    }
    if (head > 0) heads.push({ core, x, y, w: width });
    for (let slot = 0; slot < slots; slot += 1) {
      const down = Math.floor(slot / across);
      units.push({ core, slot, x: x + (slot % across) * (cellW + slotGap), y: y + head + down * (cellH + slotGap) });
    }
    const lines = Math.ceil(slots / across);
    broken ||= lines > 1;
    line = Math.max(line, head + lines * (cellH + slotGap) - slotGap);
    w = Math.max(w, x + width);
    x += width + threadGap;
  }
  return { w, h: y + line, units, heads, broken, threads: block.threads.length };
}

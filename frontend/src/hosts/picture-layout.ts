/** The host picture's geometry: one pure function from nodes, chains and a width to boxes, in CSS pixels. */

import type { Box, UnitBox } from "@/fleet/boxes";
import { type NodeBlocks, unitCount } from "./blocks";
import { FRAME, MEASURES, type Measure, type PictureLevel, pictureLevel } from "./picture-measure";
import { type NodeRows, rowsOfNode } from "./picture-rows";

export interface PictureCell extends UnitBox {
  readonly core: number;
  readonly slot: number;
}

export interface PictureHead extends Box {
  readonly core: number;
}

export interface PictureNode {
  readonly id: number;
  /** Around the cells. */
  readonly frame: Box;
  /** Below the frame: core time and last-level cache. */
  readonly gauges: Box;
}

export interface PictureLayout {
  readonly level: PictureLevel;
  readonly width: number;
  readonly height: number;
  /** Node by node, row by row. */
  readonly units: readonly PictureCell[];
  readonly heads: readonly PictureHead[];
  readonly pairs: readonly Box[];
  readonly nodes: readonly PictureNode[];
  /** Where the chains' tracks run, the same in every node; null where there is no room for them. */
  readonly corridor: { readonly y: number; readonly tracks: number } | null;
}

export function layoutPicture(nodes: readonly NodeBlocks[], width: number, tracks: number): PictureLayout {
  const level = pictureLevel(unitCount(nodes));
  const measure = MEASURES[level];
  if (level === "labelled" && tracks > 0) {
    const tracked = withTracks(nodes, width, tracks, measure);
    if (tracked) return tracked;
  }
  return withoutTracks(nodes, width, level, measure);
}

/** All nodes in one line, each in at most two rows: then a chain is one line from its port. Null where that has no room. */
function withTracks(
  nodes: readonly NodeBlocks[],
  width: number,
  tracks: number,
  measure: Measure,
): PictureLayout | null {
  const corridor = tracks * FRAME.trackPitch + 2 * FRAME.trackPad;
  const gaps = FRAME.nodeGapX * (nodes.length - 1);
  const room = (width - FRAME.ports - gaps) / nodes.length - 2 * FRAME.pad;
  const { rows, wide } = widened(nodes, room, measure, corridor);
  const fits = rows.every(({ broken, rows: n, heads }) => !broken && (heads.length > 0 ? n <= 1 : n <= 2));
  if (!fits || room < 4 * measure.cellW) return null;
  const sheet = new Sheet("labelled", wide, nodes.length === 2);
  const h = rows.reduce((most, each) => Math.max(most, each.h), 0);
  let x = FRAME.ports;
  nodes.forEach((node, index) => {
    const own = rows[index] as NodeRows;
    const w = Math.max(own.w, Math.min(room, FRAME.least));
    sheet.place(node, index, own, { x, y: 0, w: w + 2 * FRAME.pad, h: h + 2 * FRAME.pad });
    x += w + 2 * FRAME.pad + FRAME.nodeGapX;
  });
  const head = rows.some(({ heads }) => heads.length > 0) ? measure.coreHead : 0;
  const y = FRAME.title + FRAME.pad + head + measure.cellH;
  return sheet.finish({ y, tracks });
}

function withoutTracks(
  nodes: readonly NodeBlocks[],
  width: number,
  level: PictureLevel,
  measure: Measure,
): PictureLayout {
  const columns = columnsFor(nodes.length, width);
  const room = (width - FRAME.narrowGapX * (columns - 1)) / columns - 2 * FRAME.pad;
  const { rows, wide } = widened(nodes, room, measure, 0);
  const sheet = new Sheet(level, wide);
  let y = 0;
  for (let first = 0; first < nodes.length; first += columns) {
    const line = nodes.slice(first, first + columns);
    const h = Math.max(...line.map((_, at) => rows[first + at]?.h ?? 0));
    line.forEach((node, at) => {
      const box = {
        x: at * (room + 2 * FRAME.pad + FRAME.narrowGapX),
        y,
        w: room + 2 * FRAME.pad,
        h: h + 2 * FRAME.pad,
      };
      const own = rows[first + at] as NodeRows;
      const least = Math.max(own.w, Math.min(room, FRAME.least)) + 2 * FRAME.pad;
      sheet.place(node, first + at, own, columns === 1 ? { ...box, w: least } : box);
    });
    const gauges = Math.max(...line.map((node) => gaugesHeight(node)));
    y += FRAME.title + h + 2 * FRAME.pad + gauges + FRAME.nodeGapY;
  }
  return sheet.finish(null);
}

/** The nodes' rows, with the widest cells that break none of them into more: words have room, and no part of a node is empty. */
function widened(
  nodes: readonly NodeBlocks[],
  room: number,
  measure: Measure,
  corridor: number,
): { rows: readonly NodeRows[]; wide: Measure } {
  const rowsWith = (wide: Measure) => nodes.map((node) => rowsOfNode(node, room, wide, corridor));
  const least = rowsWith(measure);
  for (let cellW = measure.widestCell; cellW > measure.cellW; cellW -= 1) {
    const wide = { ...measure, cellW };
    const rows = rowsWith(wide);
    if (rows.every((own, at) => own.w <= room && own.h === least[at]?.h && own.broken === least[at]?.broken))
      return { rows, wide };
  }
  return { rows: least, wide: measure };
}

/** Four nodes and more are set two by two where a node's words have room. */
function columnsFor(nodes: number, width: number): number {
  const most = Math.floor((width + FRAME.narrowGapX) / (FRAME.least + 2 * FRAME.pad + FRAME.narrowGapX));
  return Math.max(1, Math.min(nodes, 2, most));
}

/** `linkBetween`: the gauge of the link stands between the nodes. */
export function gaugesHeight({ gauges }: NodeBlocks, linkBetween = false): number {
  const bars = (gauges.memory ? FRAME.bar : 0) + (gauges.link && !linkBetween ? FRAME.link : 0);
  return FRAME.gauges + bars + gauges.llcRows * FRAME.llcRow + (gauges.llcNumbers ? FRAME.llcNumbers : 0);
}

/** Two nodes side by side have one link, and it has its place between them. */
export function isLinkBetween(layout: Pick<PictureLayout, "corridor" | "nodes">): boolean {
  return layout.corridor !== null && layout.nodes.length === 2;
}

/** Collects boxes while nodes are placed. */
class Sheet {
  private readonly units: PictureCell[] = [];
  private readonly heads: PictureHead[] = [];
  private readonly pairs: Box[] = [];
  private readonly nodes: PictureNode[] = [];

  constructor(
    private readonly level: PictureLevel,
    private readonly measure: Measure,
    private readonly linkBetween = false,
  ) {}

  /** `box`: the frame's place; its `y` is that of the title above it. */
  place(node: NodeBlocks, index: number, rows: NodeRows, box: Box): void {
    const frame = { ...box, y: box.y + FRAME.title };
    const { cellW: w, cellH: h, coreHead } = this.measure;
    const x = frame.x + FRAME.pad;
    const y = frame.y + FRAME.pad;
    for (const { core, slot, ...at } of rows.units) {
      this.units.push({ host: 0, node: index, core, slot, x: x + at.x, y: y + at.y, w, h });
    }
    for (const head of rows.heads) {
      this.heads.push({ core: head.core, x: x + head.x, y: y + head.y, w: head.w, h: coreHead });
    }
    for (const pair of rows.pairs) this.pairs.push({ x: x + pair.x, y: y + pair.y, w: pair.w, h: 0 });
    const gauges = { x: frame.x, y: frame.y + frame.h, w: frame.w, h: gaugesHeight(node, this.linkBetween) };
    this.nodes.push({ id: node.id, frame, gauges });
  }

  finish(corridor: PictureLayout["corridor"]): PictureLayout {
    const boxes = this.nodes.map(({ gauges }) => gauges);
    return {
      level: this.level,
      width: boxes.reduce((most, box) => Math.max(most, box.x + box.w), 0),
      height: boxes.reduce((most, box) => Math.max(most, box.y + box.h), 0),
      units: this.units,
      heads: this.heads,
      pairs: this.pairs,
      nodes: this.nodes,
      corridor,
    };
  }
}

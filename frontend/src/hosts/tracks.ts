/** The chains' ways through the host picture: one track each in the corridor, with numbered stops. Pure. */

import type { NfView } from "@/api/types";
import type { Letter, Letters } from "./letters";
import type { PictureCell, PictureLayout } from "./picture-layout";
import { FRAME } from "./picture-measure";

/** The right edge of the boxes that chains start at. */
export const PORTS_END = 76;

export interface Stop {
  readonly nf: NfView;
  readonly x: number;
  /** Where the stop meets its cell. */
  readonly y: number;
}

export interface Track {
  readonly chain: string;
  readonly letter: Letter;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly stops: readonly Stop[];
  /** Gaps between nodes that packets cross on this host, each [from, to]. */
  readonly crossings: readonly (readonly [number, number])[];
  /** The last NF stands across a link from the ports: packets come back over it. */
  readonly returnsFrom: number | null;
}

export function tracksOf(layout: PictureLayout, nfs: Iterable<NfView>, letters: Letters): Track[] {
  const { corridor } = layout;
  if (!corridor) return [];
  const cells = new Map(layout.units.map((cell) => [`${cell.core}/${cell.slot}`, cell]));
  const byChain = new Map<string, { nf: NfView; cell: PictureCell }[]>();
  for (const nf of nfs) {
    const cell = cells.get(`${nf.seat.core}/${nf.seat.slot ?? 0}`);
    if (!cell) continue;
    const own = byChain.get(nf.chain) ?? [];
    own.push({ nf, cell });
    byChain.set(nf.chain, own);
  }
  const shown = [...letters].sort((a, b) => (a[1] < b[1] ? -1 : 1)).slice(0, corridor.tracks);
  return shown.flatMap(([chain, letter], index) => {
    const own = byChain.get(chain)?.sort((a, b) => a.nf.position - b.nf.position);
    const y = corridor.y + FRAME.trackPad + (index + 0.5) * FRAME.trackPitch;
    return own ? [trackOf(layout, chain, letter, own, y, aside(index, shown.length))] : [];
  });
}

/** Stops of different chains stand a little apart, so that lines to the row above and below do not cover each other. */
function aside(index: number, of: number): number {
  return (index - (of - 1) / 2) * 5;
}

function trackOf(
  layout: PictureLayout,
  chain: string,
  letter: Letter,
  own: readonly { nf: NfView; cell: PictureCell }[],
  y: number,
  dx: number,
): Track {
  const stops = own.map(({ nf, cell }) => ({
    nf,
    x: cell.x + cell.w / 2 + dx,
    y: cell.y < y ? cell.y + cell.h : cell.y,
  }));
  const to = Math.max(...stops.map(({ x }) => x));
  const last = own.at(-1);
  const crossings = gapsOf(layout).filter(([from]) => to > from);
  return {
    chain,
    letter,
    y,
    from: PORTS_END,
    to,
    stops,
    crossings,
    returnsFrom: last && last.cell.node > 0 && crossings.length > 0 ? (stops.at(-1)?.x ?? null) : null,
  };
}

function gapsOf({ nodes }: PictureLayout): [number, number][] {
  return nodes.slice(1).map((node, index) => {
    const before = nodes[index]?.frame;
    return [before ? before.x + before.w : 0, node.frame.x];
  });
}

/** Times a chain's packets change node between its NFs on one host. */
export function crossingsOf(nfs: readonly NfView[]): number {
  const nodes = [...nfs].sort((a, b) => a.position - b.position).map(({ seat }) => seat.node);
  return nodes.filter((node, index) => index > 0 && node !== nodes[index - 1]).length;
}

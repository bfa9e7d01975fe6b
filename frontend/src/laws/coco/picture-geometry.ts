/** Cores as columns and NFs as blocks on them: as high as what each needs of its core. Pure. */

import type { CocoCore, CocoElement, CocoHost, CocoStart } from "@/api/types";
import { LETTERS, type Letters } from "@/hosts/letters";

export interface CoreBlock {
  readonly nf: CocoElement;
  /** Of the column that 100 % fills; 0 where nothing was measured. */
  readonly height: number;
  /** Of its own height: what it uses now. */
  readonly used: number;
  /** It grew most on the overloaded core. */
  readonly grown: boolean;
  /** It would go with its lane. */
  readonly ends: boolean;
}

/** A block that a recommendation would bring, where it would stand. */
export interface Ghost {
  readonly nf_id: string;
  readonly chain: string;
  readonly height: number;
  /** Its core now; null: it would start, in a new lane. */
  readonly from: number | null;
}

export interface CoreColumn {
  readonly core: CocoCore;
  readonly blocks: readonly CoreBlock[];
  readonly ghosts: readonly Ghost[];
  /** Per cent of the column. */
  readonly others: number;
  /** Needed beyond what it can give, in per cent of its time. */
  readonly over: number;
}

/** A core of another host on which a new lane would start; nothing else is known of it here. */
export interface OtherCore {
  readonly host: string;
  readonly core: number;
  readonly ghosts: readonly Ghost[];
}

/** By host and number. */
export function otherCoresOf({ host, push }: Pick<CocoHost, "host" | "push">): readonly OtherCore[] {
  const found = new Map<string, OtherCore>();
  for (const start of push?.lanes?.starts ?? []) {
    const key = `${start.host} ${start.core}`;
    const before = found.get(key)?.ghosts ?? [];
    if (start.host !== host)
      found.set(key, { host: start.host, core: start.core, ghosts: [...before, ghostOf(start)] });
  }
  return [...found.values()].toSorted((one, other) => one.host.localeCompare(other.host) || one.core - other.core);
}

/** Cores that hold an NF, or that one would go to; in the order of their numbers. */
export function columnsOf({
  host,
  cores,
  push,
  full,
}: Pick<CocoHost, "host" | "cores" | "push" | "full">): readonly CoreColumn[] {
  const starts = (push?.lanes?.starts ?? []).filter((start) => start.host === host);
  const ending = new Set(Object.keys(push?.lanes?.leaves ?? {}));
  const coming = new Set([...Object.values(push?.moves ?? {}), ...starts.map(({ core }) => core)]);
  return cores
    .filter(({ core, elements }) => elements.length > 0 || coming.has(core))
    .toSorted((one, other) => one.core - other.core)
    .map((core) => ({
      core,
      blocks: core.elements.map((nf) => blockOf(nf, push?.element, ending)),
      ghosts: [...ghostsOf(cores, core.core), ...startsOn(starts, core.core)],
      others: 100 * (core.others ?? 0),
      over: Math.max(0, 100 * ((core.needs ?? 0) - full)),
    }));
}

function blockOf(nf: CocoElement, grown: string | undefined, ending: ReadonlySet<string>): CoreBlock {
  const needs = nf.needs ?? 0;
  return {
    nf,
    height: 100 * needs,
    used: needs > 0 ? Math.min(100, (100 * (nf.use ?? 0)) / needs) : 0,
    grown: nf.nf_id === grown && !ending.has(nf.nf_id),
    ends: ending.has(nf.nf_id),
  };
}

function ghostsOf(cores: readonly CocoCore[], to: number): readonly Ghost[] {
  return cores.flatMap(({ core, elements }) =>
    elements
      .filter(({ goes_to }) => goes_to === to)
      .map(({ nf_id, chain, needs }) => ({ nf_id, chain, height: 100 * (needs ?? 0), from: core })),
  );
}

function startsOn(starts: readonly CocoStart[], to: number): readonly Ghost[] {
  return starts.filter(({ core }) => core === to).map(ghostOf);
}

function ghostOf({ nf_id, chain, needs }: CocoStart): Ghost {
  return { nf_id, chain, height: 100 * needs, from: null };
}

/** The top of all columns, per cent of a core: 100, or what the fullest needs, in tens. */
export function topOf(columns: readonly CoreColumn[]): number {
  const heights = columns.map(
    ({ blocks, ghosts, others }) => others + [...blocks, ...ghosts].reduce((sum, { height }) => sum + height, 0),
  );
  return Math.max(100, Math.ceil(Math.max(0, ...heights) / 10) * 10);
}

/** By name, so that a chain keeps its letter while others come and go. */
export function lettersOf(cores: readonly CocoCore[]): Letters {
  const names = [...new Set(cores.flatMap(({ elements }) => elements.map(({ chain }) => chain)))].toSorted();
  return new Map(LETTERS.flatMap((letter, at) => (names[at] === undefined ? [] : [[names[at], letter]])));
}

/** Hops between the same two cores are one, with what passes on all of them. */
export interface HopSum {
  readonly from: number;
  readonly to: number;
  readonly chains: readonly string[];
  readonly mpps: number | null;
  readonly otherNode: boolean;
}

export function hopsOf(hops: CocoHost["hops"]): readonly HopSum[] {
  const found = new Map<string, HopSum>();
  for (const { chain, from_core, to_core, mpps, other_node } of hops) {
    const key = `${from_core}-${to_core}`;
    const before = found.get(key);
    found.set(key, {
      from: from_core,
      to: to_core,
      chains: [...new Set([...(before?.chains ?? []), chain])],
      mpps: before ? sumOf(before.mpps, mpps) : mpps,
      otherNode: other_node,
    });
  }
  return [...found.values()].toSorted((one, other) => (other.mpps ?? 0) - (one.mpps ?? 0));
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** Of the picture's layout, in pixels; law-cores.css says the same. */
export const COLUMN_PX = 148;
const PITCH_PX = COLUMN_PX + 16;
const WIDEST_PX = 10;
const NARROWEST_PX = 1;

/** A hop as an arc below the columns, as wide as what passes on it in proportion to the widest. */
export interface HopArc {
  readonly hop: HopSum;
  /** Pixels from the left edge of the first column. */
  readonly start: number;
  readonly end: number;
  /** Pixels below the columns at its lowest. */
  readonly depth: number;
  readonly width: number;
}

/** Arcs of hops between columns that are drawn. Those that go to the right end apart from those that go to the left. */
export function arcsOf(hops: readonly HopSum[], columns: readonly CoreColumn[]): readonly HopArc[] {
  const places = new Map(columns.map(({ core }, at) => [core.core, at]));
  const most = Math.max(0, ...hops.map(({ mpps }) => mpps ?? 0));
  return hops.flatMap((hop) => {
    const [from, to] = [places.get(hop.from), places.get(hop.to)];
    if (from === undefined || to === undefined) return [];
    const right = to > from;
    const aside = right ? 18 : -6;
    return [
      {
        hop,
        start: middleOf(from) + aside,
        end: middleOf(to) - aside,
        depth: 12 + 10 * Math.abs(to - from) + (right ? 0 : 8),
        width: most > 0 ? Math.max(NARROWEST_PX, (WIDEST_PX * (hop.mpps ?? 0)) / most) : NARROWEST_PX,
      },
    ];
  });
}

function middleOf(place: number): number {
  return place * PITCH_PX + COLUMN_PX / 2;
}

/** All columns side by side. */
export function widthOf(columns: number): number {
  return Math.max(0, (columns - 1) * PITCH_PX + COLUMN_PX);
}

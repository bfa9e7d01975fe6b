/** Cores as columns and NFs as blocks on them: as high as what each needs of its core. Pure. */

import type { CocoCore, CocoElement, CocoHost } from "@/api/types";
import { LETTERS, type Letters } from "@/hosts/letters";

export interface CoreBlock {
  readonly nf: CocoElement;
  /** Of the column that 100 % fills; 0 where nothing was measured. */
  readonly height: number;
  /** Of its own height: what it uses now. */
  readonly used: number;
  /** It grew most on the overloaded core. */
  readonly grown: boolean;
}

/** A block that a recommended push would bring, where it would stand. */
export interface Ghost {
  readonly nf_id: string;
  readonly chain: string;
  readonly height: number;
  readonly from: number;
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

/** Cores that hold an NF, or that one would go to; in the order of their numbers. */
export function columnsOf({ cores, push, full }: Pick<CocoHost, "cores" | "push" | "full">): readonly CoreColumn[] {
  const coming = new Set(Object.values(push?.moves ?? {}));
  return cores
    .filter(({ core, elements }) => elements.length > 0 || coming.has(core))
    .toSorted((one, other) => one.core - other.core)
    .map((core) => ({
      core,
      blocks: core.elements.map((nf) => blockOf(nf, push?.element)),
      ghosts: ghostsOf(cores, core.core),
      others: 100 * (core.others ?? 0),
      over: Math.max(0, 100 * ((core.needs ?? 0) - full)),
    }));
}

function blockOf(nf: CocoElement, grown: string | undefined): CoreBlock {
  const needs = nf.needs ?? 0;
  return {
    nf,
    height: 100 * needs,
    used: needs > 0 ? Math.min(100, (100 * (nf.use ?? 0)) / needs) : 0,
    grown: nf.nf_id === grown,
  };
}

function ghostsOf(cores: readonly CocoCore[], to: number): readonly Ghost[] {
  return cores.flatMap(({ core, elements }) =>
    elements
      .filter(({ goes_to }) => goes_to === to)
      .map(({ nf_id, chain, needs }) => ({ nf_id, chain, height: 100 * (needs ?? 0), from: core })),
  );
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

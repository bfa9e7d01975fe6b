/** Hosts whose NFs share cores, and what a core's bar is made of. Pure. */

import type { NfView, SharingCore, SharingHost, SharingNf } from "@/api/types";
import { LETTERS, type Letters } from "@/hosts/letters";

/** A host in the list. */
export interface SharingRow {
  readonly host: string;
  /** Cores that hold more than one NF. */
  readonly cores: number;
  /** NFs on them. */
  readonly nfs: number;
  /** Load of the fullest of them, percent, as far as it was measured; null where nothing was. */
  readonly fullest: number | null;
}

export function sharingRows(nfs: ReadonlyMap<string, ReadonlyMap<string, NfView>>): readonly SharingRow[] {
  const rows = [...nfs].map(([host, here]) => rowOf(host, [...here.values()]));
  return rows.filter(({ cores }) => cores > 0).toSorted((a, b) => (a.host < b.host ? -1 : 1));
}

function rowOf(host: string, nfs: readonly NfView[]): SharingRow {
  const byCore = new Map<number, readonly NfView[]>();
  for (const nf of nfs) byCore.set(nf.seat.core, [...(byCore.get(nf.seat.core) ?? []), nf]);
  const shared = [...byCore.values()].filter((on) => on.length > 1);
  const loads = shared.map((on) => sumOf(on.map(({ sample }) => sample?.utilisation_percent ?? null)));
  const measured = loads.filter((load) => load !== null);
  return {
    host,
    cores: shared.length,
    nfs: shared.reduce((sum, on) => sum + on.length, 0),
    fullest: measured.length === 0 ? null : Math.max(...measured),
  };
}

/** Null where none of them was measured. */
function sumOf(loads: readonly (number | null)[]): number | null {
  const measured = loads.filter((load) => load !== null);
  return measured.length === 0 ? null : measured.reduce((sum, load) => sum + load, 0);
}

/** Of one NF, percent of its core. */
export interface Segment {
  readonly nf: SharingNf;
  /** What its packets would take alone, or all of it where that is not known. */
  readonly base: number;
  /** What they take more, beside others. */
  readonly cap: number;
}

export interface Bar {
  readonly segments: readonly Segment[];
  /** Of the core, used by whatever is none of its NFs. */
  readonly others: number;
}

export function barOf(core: SharingCore): Bar {
  const segments = core.nfs.map((nf) => segmentOf(nf));
  const used = segments.reduce((sum, { base, cap }) => sum + base + cap, 0);
  return { segments, others: core.busy === null ? 0 : Math.max(0, 100 * core.busy - used) };
}

function segmentOf(nf: SharingNf): Segment {
  const load = 100 * (nf.load ?? 0);
  const base = load / (1 + (nf.inflation ?? 0));
  return { nf, base, cap: load - base };
}

export function lettersOf({ cores }: SharingHost): Letters {
  const names = [...new Set(cores.flatMap(({ nfs }) => nfs.map(({ chain }) => chain)))].toSorted();
  return new Map(LETTERS.flatMap((letter, at) => (names[at] === undefined ? [] : [[names[at], letter]])));
}

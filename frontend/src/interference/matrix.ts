/** Victims in rows, aggressors in columns, node by node. Pure. */

import type { Cause, Interference, Victim } from "@/api/types";
import { lossOf } from "./causes";

/** Causes that are no NF of the host: columns at the end. */
const OTHERS = ["chaining", "remote", "background", "fixed"] as const;
export type OtherKind = (typeof OTHERS)[number];

export type Column =
  | { readonly key: string; readonly kind: "neighbour"; readonly nf: string }
  | { readonly key: OtherKind; readonly kind: OtherKind; readonly nf: null };

export interface Row {
  readonly victim: Victim;
  /** By column key; a column without an entry takes nothing from this NF. */
  readonly causes: ReadonlyMap<string, Cause>;
  readonly lost: number;
}

export interface NodeMatrix {
  readonly node: number;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What each column takes from the rows, by its key. */
  readonly sums: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Above so many NFs the order is by loss, so that what matters is in sight. */
export const MANY = 24;

/** One matrix a node. `chain` keeps the rows of one chain; its aggressors stay, whoever they are. */
export function matricesOf(interference: Interference, chain: string | null): NodeMatrix[] {
  const { victims } = interference;
  const order = new Map(victims.map(({ nf_id }, index) => [nf_id, index]));
  const many = victims.length > MANY;
  const nodes = [...new Set(victims.map(({ node }) => node))].sort((a, b) => a - b);
  return nodes.flatMap((node) => {
    const own = victims.filter((victim) => victim.node === node && (chain === null || victim.chain === chain));
    if (own.length === 0) return [];
    const rows = own.map(rowOf);
    if (many) rows.sort((a, b) => b.lost - a.lost);
    const sums = sumsOf(rows);
    const columns = [...neighbours(rows, sums, chain === null ? own : [], order, many), ...others(rows)];
    return [{ node, columns, rows, sums, total: rows.reduce((sum, { lost }) => sum + lost, 0) }];
  });
}

function rowOf(victim: Victim): Row {
  return { victim, causes: new Map(victim.causes.map((cause) => [keyOf(cause), cause])), lost: lossOf(victim) };
}

function keyOf(cause: Cause): string {
  return cause.nf_id ?? cause.kind;
}

function sumsOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { causes } of rows) {
    for (const [key, { lost_mpps }] of causes) sums.set(key, (sums.get(key) ?? 0) + lost_mpps);
  }
  return sums;
}

/** Every NF of the node has its column, also one that takes throughput from none: a gap would read as a mistake. */
function neighbours(
  rows: readonly Row[],
  sums: ReadonlyMap<string, number>,
  own: readonly Victim[],
  order: ReadonlyMap<string, number>,
  byLoss: boolean,
): Column[] {
  const ids = new Set(own.map(({ nf_id }) => nf_id));
  for (const { causes } of rows) for (const { nf_id } of causes.values()) if (nf_id) ids.add(nf_id);
  const place = (id: string) => order.get(id) ?? order.size;
  return [...ids]
    .sort((a, b) => (byLoss ? (sums.get(b) ?? 0) - (sums.get(a) ?? 0) : 0) || place(a) - place(b))
    .map((nf) => ({ key: nf, kind: "neighbour", nf }));
}

function others(rows: readonly Row[]): Column[] {
  const found = new Set(rows.flatMap(({ causes }) => [...causes.keys()]));
  return OTHERS.filter((kind) => found.has(kind)).map((kind) => ({ key: kind, kind, nf: null }));
}

/** Lower ends of the warm steps, Mpps lost; fixed, so that two hosts can be compared. */
export const WARM_FROM = [0.05, 0.25, 0.5, 1] as const;

/** 0: no colour; 1 to 4: warm steps. */
export function warmStep(lost: number): number {
  return WARM_FROM.filter((from) => lost >= from).length;
}

/** The NF that loses most: what is looked at first. */
export function worstOf(matrices: readonly NodeMatrix[]): Row | null {
  const rows = matrices.flatMap(({ rows: each }) => each);
  return rows.reduce<Row | null>((worst, row) => (worst === null || row.lost > worst.lost ? row : worst), null);
}

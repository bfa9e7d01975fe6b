/** The before and after pictures of a host: who stands on which slot, and what the plan does there. Pure. */

import type { BusyCore, Change, HostView, PlacedNf } from "@/api/types";
import { coresOfNode, crowdedCores, slotsOf } from "@/capabilities/cores";
import { differencesText } from "@/capabilities/resources";

export type Part = "before" | "after";

export interface Slot {
  readonly slot: number;
  readonly nf: PlacedNf | null;
  /** Number of the change (from 1) that leaves or arrives here. */
  readonly change: number | null;
  /** Before: it leaves this slot; after: it arrives here. */
  readonly moves: boolean;
  /** It stays and gets other resources: which. */
  readonly gets: string | null;
}

export interface CorePicture {
  readonly id: number;
  readonly reserved: string | null;
  /** Percent of it that other work used when the plan was made; null where that was little, or nobody knew. */
  readonly other: number | null;
  readonly slots: readonly Slot[];
}

export interface NodePicture {
  readonly id: number;
  readonly cores: readonly CorePicture[];
}

/** A change with the number it has in the plan. */
export type Numbered = ReadonlyMap<string, { readonly change: Change; readonly number: number }>;

export function numbered(changes: readonly Change[]): Numbered {
  return new Map(changes.map((change, index) => [change.nf_id, { change, number: index + 1 }]));
}

/** NFs by the host they stand on. */
export function byHost(placed: readonly PlacedNf[]): ReadonlyMap<string, readonly PlacedNf[]> {
  const hosts = new Map<string, PlacedNf[]>();
  for (const nf of placed) {
    const known = hosts.get(nf.seat.host);
    if (known) known.push(nf);
    else hosts.set(nf.seat.host, [nf]);
  }
  return hosts;
}

/** Hosts by how much changes on them, most first; then in the plan's order. */
export function hostsByChange(body: { base: readonly { host: string }[]; changes: readonly Change[] }): string[] {
  const counts = new Map<string, number>();
  for (const { source, target } of body.changes) {
    for (const host of new Set([source?.host, target?.host])) if (host) counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  return body.base.map(({ host }) => host).sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
}

/** By host and core, what the plan knew of other work there. */
export function otherWorkOf(works: readonly BusyCore[] | undefined): ReadonlyMap<string, number> {
  return new Map(works?.map(({ host, core, percent }) => [`${host}/${core}`, percent]));
}

/** `placed`: the NFs of this host. */
export function pictureOf(
  host: HostView,
  placed: readonly PlacedNf[],
  numbers: Numbered,
  part: Part,
  works: ReadonlyMap<string, number>,
): NodePicture[] {
  const seats = new Map(placed.map((nf) => [`${nf.seat.core}/${nf.seat.slot ?? 0}`, nf]));
  const cores = host.inventory?.cores ?? [];
  const crowded = crowdedCores(cores, placed);
  const nodes = [...(host.inventory?.nodes ?? [])].sort((a, b) => a.id - b.id);
  return nodes.map((node) => ({
    id: node.id,
    cores: coresOfNode(cores, node.id).map((core) => ({
      id: core.id,
      reserved: core.reserved_for ?? null,
      other: works.get(`${host.host_id}/${core.id}`) ?? null,
      slots: Array.from({ length: slotsOf(core, crowded) }, (_, slot) => {
        const nf = seats.get(`${core.id}/${slot}`) ?? null;
        const found = nf ? numbers.get(nf.nf_id) : undefined;
        const seat = part === "before" ? found?.change.source : found?.change.target;
        const here = seat?.host === host.host_id && seat.core === core.id && (seat.slot ?? 0) === slot;
        if (!found || !here) return { slot, nf, change: null, moves: false, gets: null };
        const gets = found.change.kind === "resources" ? getsText(found.change) : null;
        return { slot, nf, change: found.number, moves: gets === null, gets };
      }),
    })),
  }));
}

function getsText({ source, target }: Change): string {
  return differencesText(source ?? null, target ?? null);
}

/** Above so many slots a host, cells are too narrow for names and show the change's number alone. */
export const NAMED_SLOTS = 24;

export function isNamed(nodes: readonly NodePicture[]): boolean {
  return nodes.reduce((sum, node) => sum + node.cores.reduce((n, core) => n + core.slots.length, 0), 0) <= NAMED_SLOTS;
}

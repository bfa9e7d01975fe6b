/** The before and after pictures of a host: who stands on which slot, and what the plan does there. Pure. */

import type { Change, HostView, PlacedNf } from "@/api/types";
import { coresOfNode, slotsOf } from "@/fleet/shape";

export type Part = "before" | "after";

export interface Slot {
  readonly slot: number;
  readonly nf: PlacedNf | null;
  /** Number of the change (from 1) that leaves or arrives here. */
  readonly change: number | null;
  /** Before: it leaves this slot; after: it arrives here. */
  readonly moves: boolean;
}

export interface CorePicture {
  readonly id: number;
  readonly reserved: string | null;
  readonly slots: readonly Slot[];
}

export interface NodePicture {
  readonly id: number;
  readonly cores: readonly CorePicture[];
}

export function pictureOf(
  host: HostView,
  placed: readonly PlacedNf[],
  changes: readonly Change[],
  part: Part,
): NodePicture[] {
  const seats = new Map(
    placed.filter((nf) => nf.seat.host === host.host_id).map((nf) => [`${nf.seat.core}/${nf.seat.slot ?? 0}`, nf]),
  );
  const numbers = new Map(changes.map((change, index) => [change.nf_id, { change, number: index + 1 }]));
  const cores = host.inventory?.cores ?? [];
  const nodes = [...(host.inventory?.nodes ?? [])].sort((a, b) => a.id - b.id);
  return nodes.map((node) => ({
    id: node.id,
    cores: coresOfNode(cores, node.id).map((core) => ({
      id: core.id,
      reserved: core.reserved_for ?? null,
      slots: Array.from({ length: slotsOf(core) }, (_, slot) => {
        const nf = seats.get(`${core.id}/${slot}`) ?? null;
        const found = nf ? numbers.get(nf.nf_id) : undefined;
        const seat = part === "before" ? found?.change.source : found?.change.target;
        const here = seat?.host === host.host_id && seat.core === core.id && (seat.slot ?? 0) === slot;
        return { slot, nf, change: found && here ? found.number : null, moves: found !== undefined && here };
      }),
    })),
  }));
}

/** Above so many slots a host, cells are too narrow for names and show the change's number alone. */
export const NAMED_SLOTS = 24;

export function isNamed(nodes: readonly NodePicture[]): boolean {
  return nodes.reduce((sum, node) => sum + node.cores.reduce((n, core) => n + core.slots.length, 0), 0) <= NAMED_SLOTS;
}

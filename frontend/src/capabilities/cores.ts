/** What a host has to run NFs on. Pure. */

import type { Core } from "@/api/types";

export type ReservedFor = NonNullable<Core["reserved_for"]>;

/** Where an NF stands, as far as room goes. */
export interface Standing {
  readonly seat: { readonly core: number; readonly slot?: number };
}

/** How many NFs it is drawn for; a core that its agent reserves is drawn as one. On one that an operator reserves NFs
 * may stand that were there before, as beyond slots that an operator has taken away (`crowded`). */
export function slotsOf(core: Core, crowded: ReadonlyMap<number, number> = NOT_CROWDED): number {
  const agents = core.reserved_for && core.reserved_for !== "operator";
  return agents ? 1 : Math.max(1, core.slots ?? 1, crowded.get(core.id) ?? 0);
}

const NOT_CROWDED: ReadonlyMap<number, number> = new Map();

/** Cores on which NFs stand beyond the slots, with as many slots as those need. */
export function crowdedCores(cores: readonly Core[], nfs: Iterable<Standing>): ReadonlyMap<number, number> {
  let found: Map<number, number> | null = null;
  for (const { seat } of nfs) {
    const slot = seat.slot ?? 0;
    if (slot === 0) continue;
    const core = cores.find(({ id }) => id === seat.core);
    if (!core || slot < (core.slots ?? 1)) continue;
    found ??= new Map();
    found.set(seat.core, Math.max(slot + 1, found.get(seat.core) ?? 0));
  }
  return found ?? NOT_CROWDED;
}

/** "reserved for rx", "reserved by an operator". */
export function reservedText(holder: ReservedFor): string {
  return holder === "operator" ? "reserved by an operator" : `reserved for ${holder}`;
}

/** Why NFs are kept from a core: it is reserved or, where NFs have physical cores of their own, another thread of it;
 * null where nobody has reserved it. */
export function whyReserved(cores: readonly Core[], id: number): string | null {
  const core = cores.find((one) => one.id === id);
  if (!core) return null;
  const others = cores.filter((one) => core.siblings?.includes(one.id));
  const shared = [core, ...others].some(({ slots }) => (slots ?? 1) > 1);
  const held = [core, ...(shared ? [] : others)].find(({ reserved_for }) => reserved_for);
  if (!held?.reserved_for) return null;
  const whose = held === core ? `core ${id}` : `core ${id} stays empty: its sibling, core ${held.id},`;
  return `${whose} is ${reservedText(held.reserved_for)}`;
}

/** Cores that an NF may have, by number: they offer slots, and nobody has reserved them. */
export function coresForNfs(cores: readonly Core[]): number[] {
  return cores
    .filter((core) => (core.slots ?? 1) > 0 && whyReserved(cores, core.id) === null)
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

/** The cores of a node in the order in which they are drawn at every level but `mass`. */
export function coresOfNode(cores: readonly Core[], node: number): Core[] {
  return cores.filter((core) => core.node === node).sort((a, b) => a.id - b.id);
}

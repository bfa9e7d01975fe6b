/** Where an NF may be moved, and why not elsewhere. Pure. */

import type { NfView } from "@/api/types";
import type { HostModel } from "./model";

export interface Target {
  readonly key: string;
  readonly text: string;
  readonly note: string;
  readonly disabled: boolean;
}

/** Every core of the host; those that cannot be chosen say why. */
export function migrationTargets(nf: NfView, model: HostModel): Target[] {
  return model.cores.flat().map(({ core, used, busy }) => {
    const slots = core.slots ?? 1;
    const why = whyNot(nf, core.id, core.reserved_for ?? null, used, slots);
    const load = busy === null ? "" : `, ${busy.toFixed(0)} % busy`;
    const room = slots > 1 ? `${slots - used} of ${slots} slots free` : "free";
    const last = core.last_choice ? ", last choice" : "";
    return {
      key: String(core.id),
      text: `core ${core.id}, node ${core.node}`,
      note: why ?? `${room}${last}${load}`,
      disabled: why !== null,
    };
  });
}

function whyNot(nf: NfView, core: number, reservedFor: string | null, used: number, slots: number): string | null {
  if (core === nf.seat.core) return "it stands here";
  if (reservedFor) return `reserved for ${reservedFor}`;
  if (slots === 0) return "offered to no NF";
  if (used >= slots) return slots === 1 ? "taken" : `all ${slots} slots taken`;
  return null;
}

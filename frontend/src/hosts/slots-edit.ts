/** Slots of a host's cores in words, and what an edit of them would set. Pure. */

import type { Core, HostView, NfView } from "@/api/types";
import { crowdedCores } from "@/capabilities/cores";
import { ranges } from "./core-list";

/** Of a core. */
const MOST_SLOTS = 64;

export type SlotChoice = "agent" | "exclusive" | "shared";

export interface SlotsEdit {
  /** Null: by its agent; or where the text is wrong. */
  readonly slots: number | null;
  /** What is wrong with the number. */
  readonly error: string | null;
  /** Why it cannot be sent. */
  readonly idle: string | null;
}

export function slotsEditOf(host: HostView, choice: SlotChoice, text: string): SlotsEdit {
  const wanted = choice === "agent" ? null : choice === "exclusive" ? 1 : numberOf(text);
  if (wanted === undefined) {
    return { slots: null, error: `a whole number from 2 to ${MOST_SLOTS}`, idle: "Correct the number first." };
  }
  const same = wanted === (host.core_slots?.slots ?? null);
  return { slots: wanted, error: null, idle: same ? "Nothing differs from what is set." : null };
}

function numberOf(text: string): number | undefined {
  const found = /^\d{1,2}$/.test(text.trim()) ? Number(text) : 0;
  return found >= 2 && found <= MOST_SLOTS ? found : undefined;
}

/** "1 on 6-23", "2 on 0, 8 on 1"; cores that its agent keeps from NFs are left out. */
export function slotsText(cores: readonly Core[]): string {
  const of = new Map<number, number[]>();
  for (const { id, slots = 1 } of cores) if (slots > 0) of.set(slots, [...(of.get(slots) ?? []), id]);
  const parts = [...of].sort(([a], [b]) => a - b).map(([slots, ids]) => `${slots} on ${ranges(ids)}`);
  return parts.join(", ") || "no core for NFs";
}

/** NFs in slots that their core does not have, by name. */
export function beyondSlots(cores: readonly Core[], nfs: readonly NfView[]): string[] {
  return nfs
    .filter((nf) => crowdedCores(cores, [nf]).size > 0)
    .map(({ nf_id }) => nf_id)
    .sort();
}

/** Why operators cannot set slots there; null where they can. */
export function whyNotShared({ inventory }: HostView): string | null {
  const found = inventory?.capabilities?.find(({ name }) => name === "shared-slots");
  if (!found) return "Its agent does not offer it: bring it to this release.";
  return found.available ? null : `Its cores cannot be shared: ${found.reason}.`;
}

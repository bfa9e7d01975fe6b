/** How old the picture is, and what that forbids. */

import { useSyncExternalStore } from "react";
import { duration, instant } from "@/lib/format";
import type { Link } from "./store";
import { live } from "./store";

/** Shown half a second later, a second on a busy machine: within five seconds of the last sign of life. */
export const STALE_AFTER_MS = 3500;

export interface Freshness {
  readonly stale: boolean;
  readonly ageS: number;
  readonly heardAt: number;
}

export function freshnessAt(link: Link, nowMs: number): Freshness {
  const age = Math.max(0, nowMs - link.heardAt);
  return { stale: link.heardAt > 0 && age > STALE_AFTER_MS, ageS: age / 1000, heardAt: link.heardAt };
}

/** Of another day with its date: a page may have slept. */
function heardText({ heardAt, ageS }: Freshness): string {
  return instant(new Date(heardAt), new Date(heardAt + ageS * 1000));
}

/** "No data for 8 s. Figures are from 14:41:52." */
export function staleText(freshness: Freshness): string {
  return `No data for ${duration(freshness.ageS)}. Figures are from ${heardText(freshness)}.`;
}

/** Why a button that changes the fleet is disabled now; null while the picture is fresh. */
export function staleReason(freshness: Freshness): string | null {
  return freshness.stale ? `The data is ${duration(freshness.ageS)} old. Wait until the stream is back.` : null;
}

/** When the picture that is shown was true, "14:41:52"; null while it is fresh. */
export function useStaleSince(): string | null {
  return useSyncExternalStore(subscribe, () => {
    const freshness = freshnessAt(live.getLink(), now);
    return freshness.stale ? heardText(freshness) : null;
  });
}

const TICK_MS = 500;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The time, twice a second; one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function useFreshness(): Freshness {
  return freshnessAt(live.getLink(), useNow());
}

/** Twice a second is too often to draw a page for a reason that is almost always null. */
export function useStaleReason(): string | null {
  return useSyncExternalStore(subscribe, () => staleReason(freshnessAt(live.getLink(), now)));
}

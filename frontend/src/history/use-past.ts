/** The fleet as it was at a moment, as pages draw it; null where the present is shown. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type PastOf, pastFleetQuery } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { PastFleet, Problem } from "@/api/types";
import { useSettled } from "@/lib/use-settled";
import { EMPTY, type LiveState } from "@/live/state";
import { live } from "@/live/store";
import { goneHosts, pastState } from "./past-fleet";

export interface Past {
  /** Null until it was read. */
  readonly fleet: PastFleet | null;
  readonly state: LiveState;
  readonly gone: readonly string[];
  readonly problem: Problem | null;
}

/** Of the present only what hosts are made of is taken, once for each moment: nothing moves while one looks at it. */
export function usePast(at: string | null, of: PastOf = {}): Past | null {
  const settled = useSettled(at);
  const { data, error } = useQuery(pastFleetQuery(settled, of));
  const fleet = data ?? null;
  const shown = useMemo(() => {
    if (fleet === null) return { state: { ...EMPTY, ready: true }, gone: [] };
    const now = live.getState();
    return { state: pastState(fleet, now), gone: goneHosts(fleet, now) };
  }, [fleet]);
  return at === null ? null : { fleet, ...shown, problem: error ? asProblem(error) : null };
}

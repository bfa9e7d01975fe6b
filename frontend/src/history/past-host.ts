/** One host of a moment as its picture draws it. Pure. */

import type { PastFleet } from "@/api/types";
import type { Layer } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { inLetterOrder, lettersFor, NO_LETTERS } from "@/hosts/letters";
import type { HostData } from "@/hosts/use-host";
import type { LiveState } from "@/live/state";
import { chainsThen, pastState } from "./past-fleet";

/** Null where the host is not in the fleet any more. `past`: null until it was read. */
export function pastHost(past: PastFleet | null, now: LiveState, id: string, layer: Layer): HostData | null {
  if (past === null) return null;
  const state = pastState(past, now);
  const host = state.hosts.get(id);
  if (!host) return null;
  const seats = state.nfs.get(id) ?? new Map();
  const chains = chainsThen(past, id, now);
  const letters = lettersFor(chains, NO_LETTERS);
  const order = inLetterOrder(letters);
  return {
    host,
    model: modelOf(host, seats, layer, new Set(), "labelled", null),
    nfs: [...seats.values()].sort((a, b) => order(a.chain, b.chain) || a.position - b.position),
    chains: chains.sort((a, b) => order(a.spec.name, b.spec.name)),
    letters,
    violations: [],
    figures: host.sampled_at ? "present" : "none",
    layer,
    predictions: { forecasts: undefined, problem: null },
  };
}

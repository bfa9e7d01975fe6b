/** Everything the fleet page shows, from the live state: filtered hosts, their models, violations, sums. */

import { useMemo, useRef } from "react";
import type { ChainView, HostView, NfView, Provenance } from "@/api/types";
import { EMPTY, type LiveState } from "@/live/state";
import { useLive } from "@/live/store";
import type { FleetLayout } from "./boxes";
import { type Density, densityFor } from "./density";
import { byName } from "./groups";
import { type Layer, type LayerKey, layerOf } from "./layers";
import { layoutFleet } from "./layout";
import { linkQueues, NO_QUEUES } from "./link-queues";
import { type HostModel, ModelCache } from "./model";
import { inForce } from "./predictions";
import { cachedShape, type HostShape } from "./shape";
import { type Predictions, usePredictions } from "./use-predictions";
import { type Violation, violations } from "./violations";

export interface Fleet {
  readonly layer: Layer;
  readonly layout: FleetLayout;
  readonly models: readonly HostModel[];
  readonly violations: readonly Violation[];
  readonly totals: Totals;
  /** Asked for while a layer shows them. */
  readonly predictions: Predictions;
}

export interface Totals {
  readonly hosts: number;
  readonly shown: number;
  readonly cores: number;
  readonly inUse: number;
  readonly shared: boolean;
  readonly chains: number;
  readonly stale: number;
  readonly unreachable: number;
  /** Sums of hosts that are up; a sum never mixes marks. */
  readonly mpps: readonly { provenance: Provenance; value: number }[];
}

export interface FleetView {
  layer: LayerKey;
  max: number | undefined;
  find: string;
  level: Density | undefined;
  width: number;
  height: number;
}

/** `past`: the fleet as it was, in the place of the live one. */
export function useFleet(view: FleetView, past: LiveState | null = null): Fleet {
  const present = useLive((current) => (past === null ? current : null));
  const state = past ?? present ?? EMPTY;
  const cache = useRef(new ModelCache()).current;
  const limiting = useRef<{ key: string; set: ReadonlySet<string> }>({ key: "", set: new Set() });
  const layer = useMemo(() => layerOf(view.layer, view.max), [view.layer, view.max]);
  const found = violations(state.chains.values(), (chain) => nfsOfChain(state, chain));
  const names = found.flatMap(({ limit }) => limit?.nf.nf_id ?? []).sort();
  if (names.join() !== limiting.current.key) limiting.current = { key: names.join(), set: new Set(names) };

  const hosts = matchingHosts(state, view.find);
  const level = view.level ?? densityFor(hosts.length);
  const shapes = useStable(hosts.map((host) => cachedShape(host, state.nfs.get(host.host_id)?.values())));
  const layout = useMemo(
    () => layoutFleet(shapes, { width: view.width, height: view.height, level }),
    [shapes, view.width, view.height, level],
  );
  const predictions = usePredictions(layer.from === "plans" && past === null);
  const queues = layer.from === "packets" ? linkQueues(state.chains.values()) : NO_QUEUES;
  const models = hosts.map((host) =>
    cache.get(
      host,
      state.nfs.get(host.host_id),
      layer,
      limiting.current.set,
      level,
      inForce(host, predictions.forecasts),
      queues,
    ),
  );
  return { layer, layout, models, violations: found, totals: totalsOf(state, models), predictions };
}

/** The same array for as long as its elements are the same. */
function useStable(next: readonly HostShape[]): readonly HostShape[] {
  const known = useRef(next);
  const same = known.current.length === next.length && known.current.every((shape, index) => shape === next[index]);
  if (!same) known.current = next;
  return known.current;
}

export function nfsOfChain(state: LiveState, name: string): NfView[] {
  const chain = state.chains.get(name);
  return (chain?.placement ?? []).flatMap((placed) => state.nfs.get(placed.seat.host)?.get(placed.nf_id) ?? []);
}

/** Hosts whose name, NFs or chains contain the text, in order of name. */
export function matchingHosts(state: LiveState, text: string): HostView[] {
  const wanted = text.trim().toLowerCase();
  const hosts = [...state.hosts.values()].sort((a, b) => byName(a.host_id, b.host_id));
  if (!wanted) return hosts;
  return hosts.filter((host) => {
    if (host.host_id.includes(wanted)) return true;
    for (const nf of state.nfs.get(host.host_id)?.values() ?? []) {
      if (nf.nf_id.includes(wanted) || nf.nf_type.includes(wanted)) return true;
    }
    return false;
  });
}

export function totalsOf(state: LiveState, models: readonly HostModel[]): Totals {
  const sums = new Map<Provenance, number>();
  let cores = 0;
  let inUse = 0;
  let shared = false;
  for (const model of models) {
    inUse += model.inUse;
    for (const node of model.cores) {
      cores += node.length;
      shared ||= node.some(({ core }) => (core.slots ?? 1) > 1);
    }
    const { status, provenance, throughput_mpps } = model.host;
    if (status === "up" && throughput_mpps !== null) {
      sums.set(provenance, (sums.get(provenance) ?? 0) + throughput_mpps);
    }
  }
  const silent = (status: HostView["status"]) => models.filter((model) => model.host.status === status).length;
  return {
    hosts: state.hosts.size,
    shown: models.length,
    cores,
    inUse,
    shared,
    chains: countChains(state.chains.values()),
    stale: silent("stale"),
    unreachable: silent("unreachable"),
    mpps: [...sums].map(([provenance, value]) => ({ provenance, value })),
  };
}

function countChains(chains: Iterable<ChainView>): number {
  let n = 0;
  for (const _ of chains) n += 1;
  return n;
}

/** Everything the host page shows, from the live state: the host, its NFs and chains, letters, violations. */

import { useMemo, useRef } from "react";
import type { ChainView, HostView, NfView } from "@/api/types";
import { type LayerKey, layerOf } from "@/fleet/layers";
import { linkQueues } from "@/fleet/link-queues";
import { type HostModel, modelOf } from "@/fleet/model";
import { inForce } from "@/fleet/predictions";
import { nfsOfChain } from "@/fleet/use-fleet";
import { type Predictions, usePredictions } from "@/fleet/use-predictions";
import { type Violation, violations } from "@/fleet/violations";
import { useStaleReason } from "@/live/freshness";
import { live, useLive, useLiveList } from "@/live/store";
import { inLetterOrder, type Letters, lettersFor, NO_LETTERS } from "./letters";

/** Present, last known (the host or the stream is silent), or missing (nobody knows them). */
export type Figures = "present" | "last-known" | "none";

export interface HostData {
  readonly host: HostView;
  readonly model: HostModel;
  /** By letter of their chain, then by position. */
  readonly nfs: readonly NfView[];
  /** By letter, then by name. */
  readonly chains: readonly ChainView[];
  readonly letters: Letters;
  readonly violations: readonly Violation[];
  readonly figures: Figures;
  /** The end of the picture's scale. */
  readonly layer: ReturnType<typeof layerOf>;
  readonly predictions: Predictions;
}

const NONE: ReadonlyMap<string, NfView> = new Map();

export function useHost(host: HostView, layerKey: LayerKey, max: number | undefined): HostData {
  const seats = useLive((state) => state.nfs.get(host.host_id)) ?? NONE;
  const own = useLiveList((state) => chainsOn(host.host_id, state.chains.values(), seats));
  const letters = useLetters(own);
  const order = inLetterOrder(letters);
  const chains = own.toSorted((a, b) => order(a.spec.name, b.spec.name));
  const nfs = [...seats.values()].sort((a, b) => order(a.chain, b.chain) || a.position - b.position);
  const layer = useMemo(() => layerOf(layerKey, max), [layerKey, max]);
  const found = violations(chains, (name) => nfsOfChain(live.getState(), name));
  const limiting = new Set(found.flatMap(({ limit }) => limit?.nf.nf_id ?? []));
  const predictions = usePredictions(true, host.host_id);
  const forecast = inForce(host, predictions.forecasts);
  const model = modelOf(host, seats, layer, limiting, "labelled", forecast, linkQueues(chains));
  const figures = useFigures(host);
  return { host, model, nfs, chains, letters, violations: found, figures, layer, predictions };
}

/** Chains that have an NF on the host, or are ordered to have one. */
export function chainsOn(host: string, chains: Iterable<ChainView>, nfs: ReadonlyMap<string, NfView>): ChainView[] {
  const here = new Set([...nfs.values()].map(({ chain }) => chain));
  return [...chains].filter(
    ({ spec, placement }) => here.has(spec.name) || placement.some(({ seat }) => seat.host === host),
  );
}

function useLetters(chains: readonly ChainView[]): Letters {
  const known = useRef(NO_LETTERS);
  known.current = lettersFor(chains, known.current);
  return known.current;
}

/** The host's silence is the console's judgement, by its own clock; the stream's is this page's. */
function useFigures(host: HostView): Figures {
  const streamSilent = useStaleReason() !== null;
  if (host.status === "unreachable" || !host.sampled_at) return "none";
  return host.status === "stale" || streamSilent ? "last-known" : "present";
}

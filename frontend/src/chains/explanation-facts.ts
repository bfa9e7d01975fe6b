/** All that a chain's explanation rests on: what is measured, predicted and trusted, and what limits it. */

import { useQuery } from "@tanstack/react-query";
import { trustQuery } from "@/api/model-queries";
import { hostInterferenceQuery, planQuery } from "@/api/queries";
import type { ChainView, NfView } from "@/api/types";
import { limitOf } from "@/fleet/limit";
import { inForce } from "@/fleet/predictions";
import { usePredictions } from "@/fleet/use-predictions";
import { bottleneckOf } from "@/interference/causes";
import { useLive, useLiveList } from "@/live/store";
import { blameOf } from "./blame";
import { standingOf } from "./explain";

/** What is predicted of it by the plan that its host runs by, or was by the one that placed it; what limits it now, and
 * how far that predictor is trusted there. */
export function useFacts(chain: ChainView, nfs: ReadonlyMap<string, NfView>) {
  const { spec, placement } = chain;
  const { forecast, now } = useInForce(chain);
  const planId = forecast?.planId ?? chain.plan_id;
  const plan = useQuery({ ...planQuery(planId ?? 0), enabled: planId !== null });
  const body = plan.data?.body ?? undefined;
  const prediction = body?.predictions.find((each) => each.chain === spec.name);
  const hosts = [...new Set(placement.map(({ seat }) => seat.host))];
  const planned = prediction?.bottleneck ?? null;
  const found = limitOf(chain, [...nfs.values()]);
  const blamed = found?.nf.nf_id ?? planned;
  const host = placement.find(({ nf_id }) => nf_id === blamed)?.seat.host ?? hosts[0] ?? "";
  const interference = useQuery({ ...hostInterferenceQuery(host), enabled: host !== "" });
  const blame = blameOf(chain, [...nfs.values()], interference.data, planned);
  const typeOf = (id: string | null) => spec.nfs.find(({ name }) => `${spec.name}.${name}` === id)?.type ?? null;
  // As outcomes are judged: by the model of the NF that is measured to limit the chain, else of the predicted one.
  const nfType = typeOf(blamed ?? blame.nfId);
  const hostModel = useLive((state) => state.hosts.get(host)?.inventory?.host_model);
  const trusts = useQuery({ ...trustQuery(nfType ?? ""), enabled: nfType !== null });
  const trust = trusts.data?.find(
    (each) => each.host_model === hostModel && each.predictor === (prediction?.predictor ?? "octans"),
  );
  const standing = standingOf({ sample: chain.sample, paused: spec.paused ?? false }, prediction, now);
  const expected = interference.data ? bottleneckOf(interference.data, spec.name) : null;
  const seat = { host, nfType: typeOf(blame.nfId) };
  return {
    prediction,
    plan: body,
    planId,
    forecast,
    now,
    standing,
    blame,
    expected,
    trust,
    interference: interference.data,
    seat,
  };
}

/** The prediction in force of the chain, as the maps have it: null where there is none, undefined while nobody knows. */
function useInForce({ spec, placement }: ChainView) {
  const names = [...new Set(placement.map(({ seat }) => seat.host))];
  const hosts = useLiveList((state) => names.flatMap((name) => state.hosts.get(name) ?? []));
  const { forecasts } = usePredictions(names.length > 0, names.length === 1 ? names[0] : undefined);
  for (const host of hosts) {
    const forecast = inForce(host, forecasts);
    const now = forecast?.chains.get(spec.name);
    if (forecast && now) return { forecast, now };
  }
  return { forecast: null, now: forecasts ? null : undefined };
}

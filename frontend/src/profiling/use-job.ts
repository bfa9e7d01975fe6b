/** A job and its points as they are now: what was fetched, brought up to date by the stream. */

import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { allPoints, MODELS, PROFILING } from "@/api/model-queries";
import { profilingJobQuery } from "@/api/profiling-queries";
import type { ProfilingJob, ProfilingPoint } from "@/api/types";
import { live, useLive } from "@/live/store";
import { jobEnded } from "@/states/derived";

/** Restores what a break of the stream has lost. */
const RECHECK_MS = 10_000;

export function useJob(id: number): { job: ProfilingJob | undefined; error: Error | null } {
  const { data, error } = useQuery(profilingJobQuery(id));
  const pushed = useLive((state) => state.profiling.get(id));
  const job = newest(data, pushed);
  const client = useQueryClient();
  const fit = job?.fit_id ?? null;
  useEffect(() => {
    if (fit !== null) void client.invalidateQueries({ queryKey: MODELS });
  }, [client, fit]);
  return { job, error: job ? null : error };
}

function newest(fetched: ProfilingJob | undefined, pushed: ProfilingJob | undefined): ProfilingJob | undefined {
  if (!fetched || !pushed) return pushed ?? fetched;
  return pushed.version >= fetched.version ? pushed : fetched;
}

type StreamedPoints = ReadonlyMap<number, ProfilingPoint> | undefined;

/** With what the stream had reported before they were requested, which they are not older than. */
const watchedPointsQuery = (id: number) =>
  queryOptions({
    queryKey: [...PROFILING, "watched", id],
    queryFn: async () => {
      const before: StreamedPoints = live.getState().points.get(id);
      return { items: (await allPoints(id)).items, before };
    },
  });

/** In the order in which they are measured; undefined before they are known. */
export function useJobPoints({ id, state }: ProfilingJob): {
  points: readonly ProfilingPoint[] | undefined;
  error: Error | null;
} {
  const refetchInterval = jobEnded(state) ? (false as const) : RECHECK_MS;
  const { data, error } = useQuery({ ...watchedPointsQuery(id), refetchInterval });
  const pushed = useLive((all) => all.points.get(id));
  const client = useQueryClient();
  // A retry and a cancellation change many points at once, which are not reported one by one.
  useEffect(() => {
    if (state) void client.invalidateQueries(watchedPointsQuery(id));
  }, [client, state, id]);
  const points = useMemo(() => data && merged(data.items, data.before, pushed), [data, pushed]);
  return { points, error: points ? null : error };
}

/** The fetched points, except where the stream has reported newer ones since the request. */
export function merged(
  fetched: readonly ProfilingPoint[],
  before: StreamedPoints,
  now: StreamedPoints,
): readonly ProfilingPoint[] {
  if (!now) return fetched;
  const known = fetched.map((point) => {
    const pushed = now.get(point.id);
    return pushed && pushed !== before?.get(point.id) ? pushed : point;
  });
  // A job for levels chooses its points one after another.
  const fresh = [...now.values()].filter(({ id }) => !fetched.some((point) => point.id === id));
  return fresh.length === 0 ? known : [...known, ...fresh].sort((a, b) => a.number - b.number);
}

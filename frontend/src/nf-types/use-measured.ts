/** What was measured of an NF type on a host model: the points of its newest jobs, and of those that run. */

import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { jobPointsQuery, jobsOfTypeQuery } from "@/api/model-queries";
import type { ProfilingJob, ProfilingPoint } from "@/api/types";
import { useLive } from "@/live/store";
import { mergedJobs } from "@/profiling/jobs-table";

/** A job takes over what earlier ones measured, so that a few of the newest have it all. */
const NEWEST = 4;

export function useMeasured(nfType: string, hostModel: string, nfVersion: number) {
  const stored = useQuery(jobsOfTypeQuery(nfType));
  const live = useLive((state) => state.profiling);
  const jobs = useMemo(() => mergedJobs(stored.data?.items ?? [], live, nfType), [stored.data, live, nfType]);
  const asked = jobs
    .filter((job) => job.host_model === hostModel && job.nf_version === nfVersion && job.done > 0 && !job.ask.levels)
    .sort((a, b) => b.id - a.id)
    .slice(0, NEWEST);
  const answers = useQueries({ queries: asked.map(({ id }) => jobPointsQuery(id)) });
  useGrowing(asked);
  const points: ProfilingPoint[] = answers.flatMap(({ data }) => data?.items ?? []);
  return {
    points,
    pending: stored.isPending || answers.some(({ isPending }) => isPending),
    error: stored.error ?? answers.find(({ error }) => error)?.error ?? null,
  };
}

/** Reads a job's points again when one more is done. */
function useGrowing(jobs: readonly ProfilingJob[]): void {
  const client = useQueryClient();
  const done = jobs.map(({ id, done: points }) => `${id}:${points}`).join();
  useEffect(() => {
    for (const each of done.split(",")) {
      const id = Number(each.split(":")[0]);
      if (id > 0) void client.invalidateQueries({ queryKey: jobPointsQuery(id).queryKey });
    }
  }, [client, done]);
}

/** What is fetched of profiling jobs; what changes of them comes from the stream (live/state.ts). */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { PROFILING } from "./model-queries";
import type { ProfilingSort } from "./sorts";
import type { ProfilingAsk } from "./types";

const firstPage = null as string | null;

/** Jobs, newest first or as they are to be sorted: of one NF type, or of all. */
export const profilingJobsPages = (nfType?: string, sort?: ProfilingSort) =>
  infiniteQueryOptions({
    queryKey: [...PROFILING, "jobs", nfType ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const wanted = { ...(nfType ? { nf_type: nfType } : {}), ...(sort ? { sort } : {}) };
      const query = { limit: 50, ...wanted, ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/profiling/jobs", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

export const profilingJobQuery = (id: number) =>
  queryOptions({
    queryKey: [...PROFILING, "job", id],
    queryFn: () => body(api.GET("/api/v1/profiling/jobs/{job_id}", { params: { path: { job_id: id } } })),
  });

/** What a job would measure and how long; nothing is stored. A refusal is an answer: asking again would not help. */
export const profilingDesignQuery = (ask: ProfilingAsk) =>
  queryOptions({
    queryKey: [...PROFILING, "design", ask],
    queryFn: () => body(api.POST("/api/v1/profiling/designs", { body: ask })),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 10_000,
  });
